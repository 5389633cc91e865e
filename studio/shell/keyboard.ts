import { useEffect, useRef } from 'preact/hooks';

/** Keys by name, `e`, `/`, `Escape`, `Mod+Enter`; Mod is Ctrl, or ⌘ on a Mac. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const layers: { readonly current: Keys }[] = [];

/** What is pressed goes to the newest layer that knows it. Plain letters are left alone while somebody types. */
addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const mod = event.metaKey || event.ctrlKey;
  const name = mod ? `Mod+${event.key.length === 1 ? event.key.toLowerCase() : event.key}` : event.key;
  if (!mod && event.altKey) return;
  if (!mod && name !== 'Escape' && isTyping(event)) return;
  // An open dialog has keys of its own.
  if (document.querySelector('dialog[open]') !== null && !mod) return;
  for (let i = layers.length - 1; i >= 0; i--) {
    const run = layers[i]!.current[name];
    if (run === undefined) continue;
    event.preventDefault();
    run(event);
    return;
  }
});

function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.tagName === 'TEXTAREA' || target.tagName === 'SELECT') return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type);
}

/** Takes keys for as long as a component is there. A layer keeps its place however often its component is drawn. */
export function useKeys(keys: Keys): void {
  const layer = useRef(keys);
  layer.current = keys;
  useEffect(() => {
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

export const modName = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl';
