import { effect, signal } from '@preact/signals';
import { read, write } from '../../shell/preferences.ts';

/** A request that was run or saved: an operation and its text. */
export interface KeptRequest {
  readonly operation: string;
  readonly text: string;
}

export interface PastRequest extends KeptRequest {
  readonly table: string;
  readonly atMs: number;
  readonly ok: boolean;
  readonly units: number | undefined;
  readonly items: number | undefined;
}

export interface SavedRequest extends KeptRequest {
  readonly name: string;
  readonly table: string;
}

const pastMax = 100;
/** Longer requests are run and not remembered: a browser keeps 5 MB for a page. */
const rememberedLengthMax = 8_000;

export const past = signal<readonly PastRequest[]>(read('history', []));
/** Saved requests by the name of their collection. */
export const saved = signal<Readonly<Record<string, readonly SavedRequest[]>>>(read('saved', {}));

effect(() => write('history', past.value));
effect(() => write('saved', saved.value));

export function remember(request: PastRequest): void {
  if (request.text.length > rememberedLengthMax) return;
  const others = past.value.filter(
    ({ operation, text }) => operation !== request.operation || text !== request.text,
  );
  past.value = [request, ...others].slice(0, pastMax);
}

export function save(collection: string, request: SavedRequest): void {
  const others = (saved.value[collection] ?? []).filter(({ name }) => name !== request.name);
  saved.value = { ...saved.value, [collection]: [...others, request] };
}

export function forget(collection: string, name: string): void {
  const left = (saved.value[collection] ?? []).filter((one) => one.name !== name);
  const { [collection]: _, ...others } = saved.value;
  saved.value = left.length === 0 ? others : { ...others, [collection]: left };
}
