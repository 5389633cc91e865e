import { terminalText } from '../../model/printable.ts';
import { wait } from '../../runtime/machine/machine.ts';
import type { ControlServer } from '../ask-control.ts';
import type { Run } from '../command.ts';
import { Failure, messageOf } from '../failure.ts';
import type { Styler } from '../output.ts';
import { StopSignals } from '../stop-signals.ts';
import type { topOptions } from './top-command.ts';
import { readState, type TopState, type TopWish } from './top-state.ts';
import { topText } from './top-text.ts';

/** Shows what a server does: live on a terminal, else once. */
export const top: Run<typeof topOptions> = async (settings, { output, operand: table, environment }) => {
  const endpoint = settings.endpoint.value;
  const region =
    settings.region.value ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || undefined);
  const wish: TopWish = { table, seconds: settings.seconds.value, minutes: settings.minutes.value };
  const show = (state: TopState) =>
    output.result('top', { ...state }, (style) =>
      topText(state, endpoint, settings.rows.value, style).join('\n'),
    );
  const isTerminal = process.stdout.isTTY === true;
  if (settings.once.value || (!isTerminal && !output.isJson)) {
    show(await readState({ endpoint, region, environment }, wish));
    return;
  }
  const signals = new StopSignals();
  const server: ControlServer = { endpoint, region, environment, signal: signals.asked };
  try {
    if (output.isJson) await repeat(server, wish, () => output.isUnread, show);
    else await live(server, wish, settings.rows.value, environment.NO_COLOR === undefined);
  } catch (error) {
    if (!signals.asked.aborted) throw error;
  } finally {
    signals.release();
  }
};

async function repeat(
  server: ControlServer,
  wish: TopWish,
  isOver: () => boolean,
  show: (state: TopState) => void,
): Promise<void> {
  const signal = server.signal!;
  while (!signal.aborted && !isOver()) {
    show(await readState(server, wish));
    await wait(1_000, undefined, { signal }).catch(() => {});
  }
}

/** Draws on the second screen of the terminal, so that what was there before comes back at the end. */
async function live(server: ControlServer, wish: TopWish, rows: number, hasColour: boolean): Promise<void> {
  const { stdin, stdout } = process;
  const stopped = new AbortController();
  const signal = AbortSignal.any([server.signal!, stopped.signal]);
  // Ctrl-C is a key like others as long as the terminal is raw.
  const onKeys = (keys: Buffer) => {
    if (['q', 'Q', '\u0003'].some((key) => keys.includes(key))) stopped.abort();
  };
  const isRaw = stdin.isTTY === true;
  if (isRaw) stdin.setRawMode(true).resume().on('data', onKeys);
  stdout.write('\u001b[?1049h\u001b[?25l');
  const codes = { bold: 1, dim: 2, red: 31, yellow: 33, green: 32, cyan: 36 };
  const style: Styler = (name, text) => (hasColour ? `\u001b[${codes[name]}m${text}\u001b[0m` : text);
  try {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        const state = await readState({ ...server, signal }, wish);
        draw(topText(state, server.endpoint, rows, style));
      } catch (error) {
        // A server that restarts comes back; one that never answered is an error.
        if (isFirst || signal.aborted || !(error instanceof Failure)) throw error;
        draw([style('yellow', `${messageOf(error)} Trying again; q ends.`)]);
      }
      await wait(1_000, undefined, { signal }).catch(() => {});
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stdout.write('\u001b[?25h\u001b[?1049l');
    if (isRaw) stdin.off('data', onKeys).setRawMode(false).pause();
  }
}

/** Writes over the picture before, so that nothing flickers. */
function draw(lines: readonly string[]): void {
  const { columns = 80, rows = 24 } = process.stdout;
  const shown = lines
    .slice(0, rows - 1)
    .map((line) => `${cut(terminalText(line), columns)}\u001b[0m\u001b[K`);
  process.stdout.write(`\u001b[H${shown.join('\r\n')}\r\n\u001b[J`);
}

/** The beginning of a line that fits, where codes of style have no width. */
function cut(line: string, columns: number): string {
  let width = 0;
  let text = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: codes of style begin with one.
  for (const [token] of line.matchAll(/\u001b\[\d+m|./gu)) {
    const isCode = token.length > 1 && token.startsWith('\u001b');
    if (!isCode && ++width > columns) break;
    text += token;
  }
  return text;
}
