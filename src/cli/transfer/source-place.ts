import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { chooseObjects } from '../../objects/choose-objects.ts';
import { Failure, messageOf, UsageError } from '../failure.ts';

/** Files to import: a bucket, which may be a folder, and what the keys in it begin with. */
export interface SourcePlace {
  readonly tools: NonNullable<ReturnType<typeof chooseObjects>>;
  readonly bucket: string;
  /** A key, or what keys begin with. */
  readonly prefix: string;
}

/**
 * Finds what `--source` names. A path inside an export is taken as a part of the bucket that the export lies in, because an
 * incremental export keeps its data beside its manifests.
 */
export function sourcePlace(
  source: string,
  directory: string,
  { s3Endpoint = 'aws', region }: { readonly s3Endpoint: string | undefined; readonly region: string },
): SourcePlace {
  if (source.startsWith('s3://')) {
    const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/s.exec(source) ?? [];
    if (bucket === undefined) throw new UsageError(`${source} names no bucket.`, 'Write s3://bucket/prefix.');
    return { tools: chooseObjects({ endpoint: s3Endpoint }, region)!, bucket, prefix };
  }
  const given = resolve(directory, source);
  let path: string;
  let isFile: boolean;
  try {
    path = realpathSync(given);
    isFile = statSync(path).isFile();
  } catch (error) {
    throw new Failure(`${given} cannot be read: ${messageOf(error)}.`, undefined, error);
  }
  const parts = path.split(sep);
  const mark = parts.lastIndexOf('AWSDynamoDB');
  const folder = mark > 1 ? parts.slice(0, mark).join(sep) : isFile ? dirname(path) : path;
  const within = path
    .slice(folder.length + 1)
    .split(sep)
    .join('/');
  return {
    tools: chooseObjects({ directory: dirname(folder) }, region)!,
    bucket: basename(folder),
    prefix: within === '' || isFile ? within : `${within}/`,
  };
}
