import { effect, signal } from '@preact/signals';

/** What one person prefers on one machine. Kept by the browser; never anything secret. */
export const theme = signal<'system' | 'light' | 'dark'>(read('theme', 'system'));
export const density = signal<'normal' | 'dense'>(read('density', 'normal'));

export function applyPreferences(): void {
  effect(() => {
    setAttribute('data-theme', theme.value === 'system' ? undefined : theme.value);
    write('theme', theme.value);
  });
  effect(() => {
    setAttribute('data-density', density.value === 'normal' ? undefined : density.value);
    write('density', density.value);
  });
}

function setAttribute(name: string, value: string | undefined): void {
  if (value === undefined) document.documentElement.removeAttribute(name);
  else document.documentElement.setAttribute(name, value);
}

/** Reads a kept value. Some browsers forbid it for private windows; the studio then starts anew every time. */
export function read<Value>(name: string, fallback: Value): Value {
  try {
    const text = localStorage.getItem(`stator.${name}`);
    return text === null ? fallback : (JSON.parse(text) as Value);
  } catch {
    return fallback;
  }
}

export function write(name: string, value: unknown): void {
  try {
    localStorage.setItem(`stator.${name}`, JSON.stringify(value));
  } catch {
    // Full or forbidden: nothing but comfort is lost.
  }
}
