import { logLine, printable, printableJson, terminalText } from '../model/printable.ts';
import { Failure } from './failure.ts';

/** Where text goes: standard output and standard error, or what a test puts in their place. */
export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface OutputOptions {
  readonly out: Sink;
  readonly err: Sink;
  readonly now: () => Date;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Whether colours are welcome; they are used on terminals only. */
  readonly colour?: boolean;
  /** Show where errors come from. */
  readonly debug?: boolean;
}

export type Level = 'info' | 'warning';

type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

const codes: Readonly<Record<Style, string>> = {
  ...{ bold: '1', dim: '2' },
  ...{ red: '31', yellow: '33', green: '32', cyan: '36' },
};

/**
 * All that a command says. What was asked for goes to standard output; what is said besides, with its time, to
 * standard error, so that a pipe carries results only. With `json`, each is one object on one line.
 */
export class Output {
  readonly #options: OutputOptions;
  #progressShown = false;
  #isUnread = false;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  get isJson(): boolean {
    return this.#options.json ?? false;
  }

  /** Whether stacks are wanted. */
  get isDebug(): boolean {
    return this.#options.debug ?? false;
  }

  /** Whether whoever read standard output is gone. */
  get isUnread(): boolean {
    return this.#isUnread;
  }

  becomeUnread(): void {
    this.#isUnread = true;
  }

  /** What a command was asked for, as text for people and as fields for programs. */
  result(event: string, fields: Readonly<Record<string, unknown>>, text: (style: Styler) => string): void {
    if (this.isJson) this.#options.out.write(`${this.#object({ event, ...fields })}\n`);
    else this.print(text(this.#styler(this.#options.out)));
  }

  /** Text that is the whole point of the command, such as help; never wrapped in JSON. */
  print(text: string): void {
    this.#clearProgress();
    const { out } = this.#options;
    // A file or a pipe gets the very text.
    out.write(`${out.isTTY === true ? terminalText(text) : text}\n`);
  }

  /** The same with colours where they are welcome. */
  page(text: (style: Styler) => string): void {
    this.print(text(this.#styler(this.#options.out)));
  }

  /** The width of the terminal that standard output goes to; undefined if it goes elsewhere. */
  get columns(): number | undefined {
    return this.#options.out.isTTY === true ? this.#options.out.columns : undefined;
  }

  log(level: Level, message: string): void {
    if (level === 'info' && this.#options.quiet) return;
    this.#clearProgress();
    if (this.isJson) {
      this.#options.err.write(`${this.#object({ level, message })}\n`);
      return;
    }
    const style = this.#styler(this.#options.err);
    const time = style('dim', this.#options.now().toISOString());
    const line = logLine(message);
    const text = level === 'warning' ? style('yellow', line) : line;
    this.#options.err.write(`${time} ${text}\n`);
  }

  /** A line of a log that has its own form and time. */
  line(text: string): void {
    this.#clearProgress();
    this.#options.err.write(`${printable(text)}\n`);
  }

  /** The one paragraph that a command ends with when it cannot do what it was asked to. */
  failure(error: unknown): void {
    this.#clearProgress();
    const message = error instanceof Error ? error.message : String(error);
    const advice = error instanceof Failure ? error.advice : undefined;
    const stack = this.#options.debug && error instanceof Error ? withCauses(error) : undefined;
    if (this.isJson) {
      this.#options.err.write(`${this.#object({ level: 'error', message, advice, stack })}\n`);
      return;
    }
    const style = this.#styler(this.#options.err);
    const lines = [`${style('red', 'stator:')} ${message}`, advice, stack];
    this.#options.err.write(`${terminalText(lines.filter((line) => line !== undefined).join('\n'))}\n`);
  }

  /** Our own mistake, not the user's. */
  defect(error: unknown): void {
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const hint = this.#options.debug
      ? 'This is a defect in Stator: please report it, with the lines below.'
      : 'This is a defect in Stator: please report it, with what the same command prints under STATOR_DEBUG=1.';
    this.failure(new Failure(`Something went wrong that should not: ${what}`, hint, error));
  }

  /** Whether anybody sees `progress`. */
  get showsProgress(): boolean {
    const { err, quiet } = this.#options;
    return err.isTTY === true && quiet !== true && !this.isJson;
  }

  /** How far something long has come; seen on a terminal only, on one line that is written over. */
  progress(text: string): void {
    if (!this.showsProgress) return;
    const { err } = this.#options;
    err.write(`\r\u001b[K${printable(text).slice(0, (err.columns ?? 80) - 1)}`);
    this.#progressShown = true;
  }

  #clearProgress(): void {
    if (this.#progressShown) this.#options.err.write('\r\u001b[K');
    this.#progressShown = false;
  }

  #object(fields: Readonly<Record<string, unknown>>): string {
    return printableJson({ time: this.#options.now().toISOString(), ...fields });
  }

  #styler(sink: Sink): Styler {
    if (!sink.isTTY || this.#options.colour === false) return (_, text) => text;
    return (style, text) => `\u001b[${codes[style]}m${text}\u001b[0m`;
  }
}

export type Styler = (style: Style, text: string) => string;

function withCauses(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\nCaused by ${withCauses(error.cause)}` : own;
}
