import type { Model } from '../ir.ts';

/** How an entity looks in every picture: a colour of eight, and a square instead of a dot from the ninth on. */
export interface EntityMark {
  /** The number of the colour, 0 to 7. */
  readonly colour: number;
  readonly isSquare: boolean;
}

export function entityMarks(model: Model): ReadonlyMap<string, EntityMark> {
  return new Map(
    model.entities.map(({ name }, at) => [name, { colour: at % 8, isSquare: Math.floor(at / 8) % 2 === 1 }]),
  );
}

/** Eight colours that differ for the colour-blind too, on light and on dark ground. */
const light = ['#0b6bb8', '#c8540a', '#0a8a63', '#7b4cc2', '#b0417c', '#93700a', '#2b8fa8', '#7a5638'];
const dark = ['#5eb0f2', '#f0925a', '#3ecb9c', '#b595f2', '#ee8fbd', '#ddb955', '#66cbe0', '#c8a486'];

const plain = {
  light: {
    ground: '#ffffff',
    raised: '#f7f7f8',
    sunk: '#eeeef0',
    line: '#dcdce0',
    text: '#1c1c20',
    dim: '#6a6a74',
    accent: '#3d5afe',
    heat: '#b26a00',
    proved: '#0a7d4f',
  },
  dark: {
    ground: '#131316',
    raised: '#1b1b1f',
    sunk: '#25252a',
    line: '#34343b',
    text: '#ececf0',
    dim: '#9a9aa6',
    accent: '#8c9eff',
    heat: '#f0b050',
    proved: '#4cc38a',
  },
} as const;

/** The colours as CSS variables, for pages and for pictures that stand alone. */
export function themeVariables(theme: 'light' | 'dark'): string {
  const own = Object.entries(plain[theme]).map(([name, value]) => `--${name}:${value}`);
  const marks = (theme === 'light' ? light : dark).map((value, at) => `--e${at}:${value}`);
  return [...own, ...marks].join(';');
}
