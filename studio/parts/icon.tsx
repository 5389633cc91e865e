/** Small signs, drawn on a grid of 16. They stand beside words, or on buttons whose label says the same. */
const paths = {
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM10 10l3.5 3.5',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  right: 'M6 4l4 4-4 4',
  down: 'M4 6l4 4 4-4',
  left: 'M10 4L6 8l4 4',
  trash: 'M3 4.5h10M6.5 4V3h3v1M4.5 4.5l.5 8.5h6l.5-8.5',
  undo: 'M4 6h6a3 3 0 0 1 0 6H7M4 6l2.5-2.5M4 6l2.5 2.5',
  play: 'M5 3.5l7 4.5-7 4.5z',
  table: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M6 6.5v6',
  key: 'M10 3a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.9 8.1L3 13M5 11l1.5 1.5',
  upload: 'M8 11V3M5 5.5L8 3l3 2.5M3 13h10',
  download: 'M8 3v8M5 8.5L8 11l3-2.5M3 13h10',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2',
  warn: 'M8 2.5l6 11H2zM8 6.5v3.2M8 11.6h.01',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3l2 1.5',
  star: 'M8 2.5l1.7 3.5 3.8.5-2.8 2.7.7 3.8L8 11.2 4.6 13l.7-3.8-2.8-2.7 3.8-.5z',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        stroke-width={name === 'more' ? 2 : 1.4}
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
