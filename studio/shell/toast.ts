import { signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'plain' | 'red';
  readonly action: { readonly label: string; run(): void } | undefined;
}

export const toasts = signal<readonly Toast[]>([]);
let latest = 0;

/** Says something for a few seconds, with a way to take it back where there is one. */
export function toast(
  text: string,
  { kind = 'plain', action }: { kind?: Toast['kind']; action?: Toast['action'] } = {},
): void {
  const id = ++latest;
  toasts.value = [...toasts.value.slice(-2), { id, text, kind, action }];
  setTimeout(() => drop(id), action === undefined ? 3_000 : 8_000);
}

export function drop(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}
