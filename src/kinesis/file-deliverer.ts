import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deliverer, OutgoingRecord, RecordOutcome } from '../engine/destinations/deliverer.ts';
import { makePrivateDirectory, openPrivateFile } from '../files/private-files.ts';
import { kinesisLimits } from '../model/limits.ts';
import { parseKinesisArn } from '../model/tables/kinesis-arn.ts';

/**
 * Appends the records of each stream to a file, one JSON document a line. Every stream exists. A batch is on the disk
 * before it counts as delivered; what a process that was killed has left of a line is cut off before the next.
 */
export class FileDeliverer implements Deliverer {
  readonly recordsMax = kinesisLimits.recordsPerRequestMax;
  readonly bytesMax = kinesisLimits.requestBytesMax;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async check(streamArn: string): Promise<undefined> {
    await this.#append(streamArn, []);
  }

  async deliver(streamArn: string, records: readonly OutgoingRecord[]): Promise<readonly RecordOutcome[]> {
    await this.#append(
      streamArn,
      records.flatMap(({ data }) => [data, newLine]),
    );
    return records.map(() => 'delivered');
  }

  async #append(streamArn: string, parts: readonly Uint8Array[]): Promise<void> {
    makePrivateDirectory(this.#directory);
    const path = join(this.#directory, fileNameOf(streamArn));
    // Not opened to append, since that leaves no way to write elsewhere than at the end.
    const file = await openPrivateFile(path, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return openPrivateFile(path, 'wx+');
    });
    try {
      const end = await endOfLines(file);
      await file.truncate(end);
      const bytes = Buffer.concat(parts);
      for (let done = 0; done < bytes.length; )
        done += (await file.write(bytes, done, bytes.length - done, end + done)).bytesWritten;
      await file.datasync();
    } finally {
      await file.close();
    }
  }
}

/** ARNs that differ have files that do. */
function fileNameOf(streamArn: string): string {
  const { region, account, streamName } = parseKinesisArn(streamArn)!;
  return `${region}.${account}.${streamName}.jsonl`;
}

const newLine = Uint8Array.of(0x0a);
const stepBytes = 64 * 1024;

/** Where the last whole line ends. */
async function endOfLines(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - stepBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    const last = buffer.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (last !== -1) return start + last + 1;
    end = start;
  }
  return 0;
}
