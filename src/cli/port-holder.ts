import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface PortHolder {
  readonly pid: number;
  /** How it was started; empty where that is not to be seen. */
  readonly command: string;
}

const tables = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * The process that listens on a TCP port, where the system tells: Linux does, of the processes that this user may
 * look into.
 */
export function portHolder(port: number): PortHolder | undefined {
  const rows = tables.flatMap(listeningRows).filter((row) => row.port === port);
  if (rows.length === 0) return undefined;
  const sockets = new Set(rows.map(({ inode }) => `socket:[${inode}]`));
  for (const pid of entriesOf('/proc').filter((name) => /^\d+$/.test(name)))
    for (const handle of entriesOf(`/proc/${pid}/fd`))
      if (sockets.has(linkOf(`/proc/${pid}/fd/${handle}`)))
        return { pid: Number(pid), command: commandOf(pid) };
  return undefined;
}

/** The addresses that a process listens on, as URLs by which this machine reaches them; none where the system does not tell. */
export function listeningUrls(pid: number): string[] {
  const sockets = new Set(entriesOf(`/proc/${pid}/fd`).map((handle) => linkOf(`/proc/${pid}/fd/${handle}`)));
  const rows = tables.flatMap(listeningRows);
  const own = rows.filter(({ inode }) => sockets.has(`socket:[${inode}]`));
  return own.flatMap(({ address, port }) => {
    const host = hostOf(address);
    return host === undefined ? [] : [`http://${host}:${port}`];
  });
}

/** An address of these tables is in hexadecimal, in words of four bytes with the last byte first. */
function hostOf(address: string): string | undefined {
  if (/^0{8}$/.test(address)) return '127.0.0.1';
  if (/^0{32}$/.test(address) || /^0{24}01000000$/.test(address)) return '[::1]';
  if (address.length !== 8) return undefined;
  return address
    .match(/../g)!
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
}

interface ListeningRow {
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}

/**
 * A line of these tables: number, local address and port in hexadecimal, remote ones, state (0A: listening), four
 * fields more, and as the tenth the inode of the socket.
 */
function listeningRows(table: string): ListeningRow[] {
  const rows = textOf(table)
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return rows
    .filter((fields) => fields[3] === '0A')
    .map((fields) => {
      const [address = '', port = ''] = fields[1]!.split(':');
      return { address, port: Number.parseInt(port, 16), inode: fields[9]! };
    });
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
