import type { ComponentChildren } from 'preact';
import { Button } from './buttons.tsx';

/** Grey bars in the place of what is coming, so that nothing jumps when it arrives. */
export function Skeleton({ width = 80 }: { readonly width?: number | string }) {
  return (
    <span
      class="skeleton"
      style={{ width: typeof width === 'number' ? `${width}px` : width }}
      aria-hidden="true"
    />
  );
}

export function SkeletonRows({ rows = 8 }: { readonly rows?: number }) {
  return (
    <div class="column" style={{ padding: '16px', gap: '18px' }} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <Skeleton key={i} width={`${72 - ((i * 13) % 40)}%`} />
      ))}
    </div>
  );
}

/** What to do where there is nothing yet. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** An error in the service's words, and what can be done about it. */
export function Notice({
  kind = 'red',
  children,
  onRetry,
  onClose,
}: {
  readonly kind?: 'red' | 'amber' | '';
  readonly children: ComponentChildren;
  readonly onRetry?: (() => void) | undefined;
  readonly onClose?: (() => void) | undefined;
}) {
  return (
    <div class={`notice ${kind}`} role={kind === 'red' ? 'alert' : 'status'}>
      <div>{children}</div>
      {onRetry ? (
        <Button kind="plain" onClick={onRetry}>
          Try again
        </Button>
      ) : null}
      {onClose ? (
        <Button kind="plain" onClick={onClose}>
          Dismiss
        </Button>
      ) : null}
    </div>
  );
}
