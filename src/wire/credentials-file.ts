import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import {
  type Credential,
  type CredentialLookup,
  CredentialsFileError,
  credentialLookup,
  parseCredentials,
} from './credentials.ts';

export interface CredentialsFileOptions {
  readonly path: string;
  /** Whether the file must be its owner's alone, as where signatures are verified. Windows has no such modes. */
  readonly isPrivate: boolean;
  /** Measures the time between two looks at the file, in milliseconds from any origin. */
  readonly stopwatchMs: () => number;
  readonly log: (line: string) => void;
  readonly platform?: string;
}

/** The file is looked at once in this time, when a request asks for a key. */
const lookEveryMs = 1_000;
/** The longest file that is read: some five thousand keys. */
const fileBytesMax = 1024 * 1024;

/**
 * The keys of a credentials file, which is read again when it has changed. There is no timer: a request that comes a second
 * after the last look looks again, so that a removed key is refused within a second, on old connections too. A file that
 * cannot be used keeps the keys as they were, and is reported once until it changes again.
 */
export class CredentialsFile {
  readonly #options: CredentialsFileOptions;
  #lookup: CredentialLookup;
  #version: string | undefined;
  #lookedAtMs: number;
  /** The last problem that was logged. */
  #reported: string | undefined;

  /** Reads the file. A file that cannot be used is a `CredentialsFileError`. */
  constructor(options: CredentialsFileOptions) {
    this.#options = options;
    this.#lookedAtMs = options.stopwatchMs();
    this.#version = versionOf(options.path);
    this.#lookup = credentialLookup(readPrivately(options));
  }

  find(accessKeyId: string): Credential | undefined {
    const now = this.#options.stopwatchMs();
    if (now - this.#lookedAtMs >= lookEveryMs) {
      this.#lookedAtMs = now;
      this.#lookAgain();
    }
    return this.#lookup(accessKeyId);
  }

  #lookAgain(): void {
    const { path, log } = this.#options;
    const version = versionOf(path);
    if (version !== undefined && version === this.#version) return;
    try {
      this.#lookup = credentialLookup(readPrivately(this.#options));
      // The version is of before the reading: a file that changed meanwhile is read once more.
      this.#version = version;
      this.#reported = undefined;
      log('The credentials file has changed; its keys are in force.');
    } catch (error) {
      if (!(error instanceof CredentialsFileError)) throw error;
      this.#version = version;
      if (this.#reported === error.message) return;
      this.#reported = error.message;
      log(`${error.message} The keys as they were before stay in force.`);
    }
  }
}

/** Reads a credentials file, and refuses one that others than its owner may read. */
function readPrivately({
  path,
  isPrivate,
  platform = process.platform,
}: CredentialsFileOptions): Credential[] {
  const { mode, text } = contentOf(path);
  if (isPrivate && platform !== 'win32' && (mode & 0o077) !== 0)
    throw new CredentialsFileError(
      `The credentials file ${path} is open to other users of this machine (mode ${(mode & 0o777).toString(8)}): chmod 600 ${path}.`,
    );
  try {
    return parseCredentials(text);
  } catch (error) {
    if (!(error instanceof CredentialsFileError)) throw error;
    throw new CredentialsFileError(`${path}: ${error.message}`, { cause: error });
  }
}

/**
 * Reads a file with its mode. Both come from one descriptor, so that no other file can take its name in between. What is no
 * file of a sensible size is refused: a pipe would stop the process until somebody writes, and /dev/zero fill its memory.
 */
function contentOf(path: string): { readonly mode: number; readonly text: string } {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new Error('it is not a file');
    if (found.size > fileBytesMax) throw new Error(`it is larger than ${fileBytesMax} bytes`);
    return { mode: found.mode, text: readFileSync(descriptor, 'utf8') };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read: ${message}`;
    throw new CredentialsFileError(`The credentials file ${path} ${why}.`, { cause: error });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * What changes with a file: by an edit, by another file under its name, by chmod. Undefined if it is not there or cannot be
 * reached; reading it says why.
 */
function versionOf(path: string): string | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
  } catch {
    return undefined;
  }
}
