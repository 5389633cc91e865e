import { secrets } from '../runtime/machine/machine.ts';
import { Recorder } from './recorder.ts';

const bufferedCharactersMax = 64 * 1024 * 1024;

export interface RecordingOptions {
  readonly nowMs: () => number;
  readonly plain?: boolean;
  readonly tables?: readonly string[];
  readonly linesMax?: number;
}

/** A recording that somebody fetches piece by piece. What is not fetched stays in memory, up to a bound. */
export class Recording {
  readonly recorder: Recorder;
  #waiting: string[] = [];
  #characters = 0;
  #lost = false;

  constructor({ plain = false, ...options }: RecordingOptions) {
    this.recorder = new Recorder({
      ...options,
      write: (text) => this.#keep(text),
      ...(plain ? {} : { secret: secrets.bytes(32) }),
    });
  }

  #keep(text: string): void {
    if (this.#lost) return;
    if (this.#characters + text.length > bufferedCharactersMax) {
      this.#lost = true;
      return;
    }
    this.#waiting.push(text);
    this.#characters += text.length;
  }

  /** What has come since the last time. */
  take(): { readonly text: string; readonly isOver: boolean } {
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#characters = 0;
    return { text, isOver: this.recorder.isFull || this.#lost };
  }
}
