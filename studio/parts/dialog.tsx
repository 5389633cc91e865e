import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A modal dialog. Escape and the backdrop close it; the browser keeps the focus inside and gives it back. */
export function Dialog({
  title,
  onClose,
  foot,
  class: className = '',
  width,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly foot?: ComponentChildren;
  readonly class?: string;
  readonly width?: number;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog
      ref={element}
      class={className}
      aria-label={title}
      style={width ? { width: `${width}px` } : undefined}
      onClose={onClose}
      onMouseDown={(event) => {
        if (event.target === element.current) element.current?.close();
      }}
    >
      <div class="dialog">
        <h2 class="dialog-head">{title}</h2>
        <div class="dialog-body">{children}</div>
        {foot ? <div class="dialog-foot">{foot}</div> : null}
      </div>
    </dialog>
  );
}
