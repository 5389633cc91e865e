import { compactDirectory } from '../compact-directory.ts';
import type { Run } from './command.ts';
import { Failure } from './failure.ts';
import type { compactOptions } from './flags.ts';
import { adviceToCompact } from './in-use-advice.ts';
import { troubleAsFailure } from './store-trouble.ts';

export const compact: Run<typeof compactOptions> = async (settings, { output }) => {
  const { value: directory, name } = settings.dataDir;
  const sizes = await compactDirectory(directory).catch(async (error: unknown) => {
    throw await troubleAsFailure(error, adviceToCompact);
  });
  if (sizes === undefined)
    throw new Failure(
      `There is no data in ${directory}.`,
      `${name} names the directory that stator start keeps its data in.`,
    );
  output.result('compacted', { directory, ...sizes }, () => compacted(directory, sizes));
};

export function compacted(
  directory: string,
  { bytesBefore, bytesAfter }: { readonly bytesBefore: number; readonly bytesAfter: number },
): string {
  return `Compacted ${directory}: ${shownBytes(bytesBefore)} before, ${shownBytes(bytesAfter)} after.`;
}

function shownBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [size, unit] = [bytes, 0];
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}
