// A server ends when whoever started it ends, however that came about: its input is a pipe that then closes.
// Leaving by process.exit lets `--cpu-prof` write its file.
export function endWithParent() {
  process.stdin.resume();
  process.stdin.on('close', () => process.exit(0));
  process.on('SIGTERM', () => process.exit(0));
}
