import type { Output } from '../output.ts';
import { readTopic } from './handbook-pages.ts';
import { markdownText } from './markdown-text.ts';

/** Prose is hard to follow in longer lines. */
const columnsMax = 100;

/** Prints a page of the handbook. */
export function printTopic(name: string, output: Output): void {
  const page = readTopic(name);
  const columns = Math.max(40, Math.min(columnsMax, output.columns ?? columnsMax));
  output.page((style) => markdownText(page, { style, columns, folder: 'docs/handbook' }));
}
