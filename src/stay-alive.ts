/** Runs some work. Timers of background work do not keep a process alive; a program that waits for the work stays. */
export async function stayAlive(work: () => Promise<void>): Promise<void> {
  const alive = setInterval(() => {}, 60_000);
  try {
    await work();
  } finally {
    clearInterval(alive);
  }
}
