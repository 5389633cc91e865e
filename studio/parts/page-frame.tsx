import type { ComponentChildren } from 'preact';
import { IconButton } from './buttons.tsx';

/** The layout of every page: a toolbar, the content, and beside it the inspector with the details of the selection. */
export function PageFrame({
  toolbar,
  inspector,
  padded = false,
  children,
}: {
  readonly toolbar?: ComponentChildren;
  readonly inspector?: ComponentChildren;
  readonly padded?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={inspector ? 'page inspected' : 'page'}>
      {toolbar ? <div class="toolbar">{toolbar}</div> : null}
      <div class={padded ? 'content padded' : 'content'} tabIndex={padded ? 0 : undefined}>
        {children}
      </div>
      {inspector}
    </div>
  );
}

export function Inspector({
  title,
  onClose,
  actions,
  footer,
  children,
}: {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  readonly actions?: ComponentChildren;
  readonly footer?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <aside class="inspector" aria-label="Inspector">
      <header>
        <div class="grow cut">{title}</div>
        {actions}
        <IconButton icon="close" label="Close the inspector" onClick={onClose} />
      </header>
      <div class="inspector-body">{children}</div>
      {footer ? <footer>{footer}</footer> : null}
    </aside>
  );
}
