import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const modelNames = ['cases', 'ecommerce', 'feed', 'orders', 'parcels', 'saas'] as const;

/** The path of a file that was emitted for an example model. A unit test proves that they are current. */
export function generatedPath(model: string, file: string): string {
  return fileURLToPath(new URL(`../../examples/models/${model}/generated/${file}`, import.meta.url));
}

export function generated(model: string, file: string): string {
  return readFileSync(generatedPath(model, file), 'utf8');
}
