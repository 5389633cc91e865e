import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface PortHolder {
  readonly pid: number;
  /** How it was started; empty where that is not to be seen. */
  readonly command: string;
}

/**
 * The process that listens on a TCP port, where the system tells: Linux does, of the processes that this user may
 * look into.
 */
export function portHolder(port: number): PortHolder | undefined {
  const inodes = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeningInodes(table, port)),
  );
  if (inodes.size === 0) return undefined;
  const sockets = new Set([...inodes].map((inode) => `socket:[${inode}]`));
  for (const pid of entriesOf('/proc').filter((name) => /^\d+$/.test(name)))
    for (const handle of entriesOf(`/proc/${pid}/fd`))
      if (sockets.has(linkOf(`/proc/${pid}/fd/${handle}`)))
        return { pid: Number(pid), command: commandOf(pid) };
  return undefined;
}

/**
 * A line of these tables: number, local address and port in hexadecimal, remote ones, state (0A: listening), four
 * fields more, and as the tenth the inode of the socket.
 */
function listeningInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return textOf(table)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === '0A')
    .map((fields) => fields[9]!);
}

function commandOf(pid: string): string {
  const command = textOf(`/proc/${pid}/cmdline`).split('\0').join(' ').trim();
  return command.length > 120 ? `${command.slice(0, 120)}…` : command;
}

// Processes come and go, and some belong to others: what cannot be read is as good as not there.

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
