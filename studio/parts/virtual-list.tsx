import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  /** Draws the row at an index; the list places it. */
  readonly row: (index: number) => ComponentChildren;
  /** The row that arrows move; it is kept in sight. */
  readonly cursor: number;
  readonly onCursor: (index: number, event: KeyboardEvent) => void;
  /** Told when the list gets the focus and no row has it. */
  readonly onFirst?: () => void;
  readonly onKey?: (event: KeyboardEvent) => void;
  /** Told which rows are in sight, so that what is missing can be loaded. */
  readonly onRange?: (first: number, last: number) => void;
  readonly header?: ComponentChildren;
  readonly role?: 'grid' | 'list' | 'treegrid';
}

/** A list of any length, of which only the rows in sight exist. Arrows, Page keys, Home and End move the cursor. */
export function VirtualList(props: VirtualListProps) {
  const {
    count,
    rowHeight,
    label,
    row,
    cursor,
    onCursor,
    onFirst,
    onKey,
    onRange,
    header,
    role = 'grid',
  } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useState(0);
  const made = useRef<Virtualizer<HTMLDivElement, Element> | undefined>(undefined);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw((times) => times + 1),
  };
  made.current ??= new Virtualizer<HTMLDivElement, Element>(options);
  const virtualizer = made.current;
  virtualizer.setOptions({ ...virtualizer.options, ...options });
  useEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [rowHeight]);
  const shown = virtualizer.getVirtualItems();
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0];
  useEffect(() => onRange?.(first, last), [first, last, count]);
  useEffect(() => {
    if (cursor >= 0 && cursor < count) virtualizer.scrollToIndex(cursor, { align: 'auto' });
  }, [cursor]);
  const move = (event: KeyboardEvent) => {
    if (event.target !== scroller.current) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const steps: Record<string, number> = {
      ArrowDown: cursor + 1,
      ArrowUp: cursor - 1,
      PageDown: cursor + page,
      PageUp: cursor - page,
      Home: 0,
      End: count - 1,
    };
    const next = event.metaKey || event.ctrlKey ? undefined : steps[event.key];
    if (next === undefined) onKey?.(event);
    else {
      event.preventDefault();
      onCursor(Math.max(0, Math.min(count - 1, next)), event);
    }
  };
  return (
    <div
      ref={scroller}
      class="virtual"
      role={role}
      aria-label={label}
      aria-rowcount={count}
      aria-activedescendant={cursor >= first && cursor <= last ? `row-${cursor}` : undefined}
      tabIndex={0}
      onFocus={(event) => {
        if (cursor < 0 && event.target === scroller.current) onFirst?.();
      }}
      onKeyDown={move}
    >
      {header}
      <div class="virtual-size" role="presentation" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {shown.map(({ index, start }) => (
          <div
            key={index}
            class="virtual-row"
            role="presentation"
            style={{ transform: `translateY(${start}px)`, height: `${rowHeight}px` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
