import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { toast } from '../shell/toast.ts';
import { Icon, type IconName } from './icon.tsx';

export interface ButtonProps {
  readonly onClick?: (() => void) | undefined;
  readonly kind?: 'primary' | 'plain' | 'costly' | 'danger' | 'danger primary' | undefined;
  readonly icon?: IconName;
  readonly disabled?: boolean;
  readonly title?: string;
  readonly submits?: boolean;
  readonly children: ComponentChildren;
}

export function Button({ onClick, kind, icon, disabled, title, submits, children }: ButtonProps) {
  return (
    <button
      type={submits ? 'submit' : 'button'}
      class={`button ${kind ?? ''}`}
      onClick={onClick}
      disabled={disabled}
      title={title}
    >
      {icon ? <Icon name={icon} /> : null}
      {children}
    </button>
  );
}

export function IconButton({
  icon,
  label,
  onClick,
  disabled,
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
}) {
  return (
    <button
      type="button"
      class="button plain square"
      aria-label={label}
      title={label}
      onClick={onClick}
      disabled={disabled}
    >
      <Icon name={icon} />
    </button>
  );
}

/** Puts a text on the clipboard and says so. Pages over plain HTTP have no clipboard API, so the old way is behind it. */
export async function copyText(text: string, what = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  toast(what);
}

export function Snippet({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="snippet">
      <pre>{text}</pre>
      <IconButton icon="copy" label={`Copy ${label}`} onClick={() => void copyText(text)} />
    </div>
  );
}

export interface MenuEntry {
  readonly label: ComponentChildren;
  readonly icon?: IconName;
  readonly danger?: boolean;
  run(): void;
}

/** A button that opens a list of actions. Arrows move in it, Escape closes it. */
export function Menu({
  label,
  icon = 'more',
  text,
  entries,
  align = 'right',
}: {
  readonly label: string;
  readonly icon?: IconName;
  readonly text?: string;
  readonly entries: readonly MenuEntry[];
  readonly align?: 'left' | 'right';
}) {
  const [isOpen, setOpen] = useState(false);
  const anchor = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    anchor.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const close = (event: Event) => {
      if (!anchor.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', close);
    return () => removeEventListener('pointerdown', close);
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      setOpen(false);
      anchor.current?.querySelector('button')?.focus();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const items = [...(anchor.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
      const at = items.indexOf(document.activeElement as HTMLElement);
      items[(at + (event.key === 'ArrowDown' ? 1 : items.length - 1)) % items.length]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu-anchor" ref={anchor} onKeyDown={isOpen ? onKeyDown : undefined}>
      <button
        type="button"
        class={text ? 'button' : 'button plain square'}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} />
        {text}
      </button>
      {isOpen ? (
        <div class="menu" role="menu" style={{ top: '100%', [align]: '0' }}>
          {entries.map(({ label: entryLabel, icon: entryIcon, danger, run }, i) => (
            <button
              key={i}
              type="button"
              role="menuitem"
              class={danger ? 'red' : ''}
              onClick={() => {
                setOpen(false);
                run();
              }}
            >
              {entryIcon ? <Icon name={entryIcon} /> : null}
              {entryLabel}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
