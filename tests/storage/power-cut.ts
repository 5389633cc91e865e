import { readFileSync } from 'node:fs';
import type { SeededRandom } from '../seeded-random.ts';

/**
 * What a process did to its data file, read from `strace`, and what a power cut would have left of it. The disk
 * promises this much: what was written before a finished sync is there, and a write to a file opened O_DSYNC is
 * there once it returned. Of any other write, each sector of 512 bytes is there or not, as chance has it.
 */
export type Step =
  | { readonly kind: 'write'; readonly offset: number; readonly data: Buffer; readonly synced: boolean }
  | { readonly kind: 'sync' }
  | { readonly kind: 'said'; readonly line: string };

/** The arguments for strace that record what `readSteps` reads. */
export function straceArguments(trace: string): string[] {
  const calls = 'openat,lseek,write,writev,pwrite64,pwritev,fsync,fdatasync,ftruncate,close';
  return [
    'strace',
    '-f',
    '-qq',
    '-xx',
    '-s',
    '100000000',
    '-e',
    `trace=${calls}`,
    '-e',
    'signal=none',
    '-o',
    trace,
  ];
}

export function readSteps(trace: string, dataFile: string): Step[] {
  const steps: Step[] = [];
  const descriptors = new Map<string, { synced: boolean; position: number }>();
  const unfinished = new Map<string, string>();
  for (const line of readFileSync(trace, 'latin1').split('\n')) {
    const [, thread, rest] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    if (thread === undefined || rest === undefined) continue;
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(thread, rest.slice(0, -'<unfinished ...>'.length).trimEnd());
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest);
    const call = resumed === null ? rest : `${unfinished.get(thread) ?? ''}${resumed[1]}`;
    const step = readCall(call, dataFile, descriptors);
    if (step !== undefined) steps.push(...step);
  }
  return steps;
}

function readCall(
  call: string,
  dataFile: string,
  descriptors: Map<string, { synced: boolean; position: number }>,
): Step[] | undefined {
  const [, name, parameters, result] = /^(\w+)\((.*)\) += (-?\d+)/s.exec(call) ?? [];
  if (name === undefined || parameters === undefined || Number(result) < 0) return undefined;
  if (name === 'openat') {
    const path = /"((?:\\x[0-9a-f]{2})*)"/.exec(parameters)?.[1];
    if (path !== undefined && decode(path).toString() === dataFile)
      descriptors.set(result!, { synced: parameters.includes('O_DSYNC'), position: 0 });
    else descriptors.delete(result!);
    return undefined;
  }
  const descriptor = /^\d+/.exec(parameters)?.[0] ?? '';
  const strings = [...parameters.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text]) => decode(text!));
  if (descriptor === '1' && name === 'write')
    return decode(/"(.*)"/s.exec(parameters)![1]!)
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({ kind: 'said', line }));
  const file = descriptors.get(descriptor);
  if (file === undefined) return undefined;
  switch (name) {
    case 'close':
      descriptors.delete(descriptor);
      return undefined;
    case 'fsync':
    case 'fdatasync':
      return [{ kind: 'sync' }];
    case 'lseek':
      file.position = Number(result);
      return undefined;
    case 'pwrite64':
    case 'pwritev': {
      const offset = Number(/(\d+)$/.exec(parameters)![1]);
      return [
        {
          kind: 'write',
          offset,
          data: Buffer.concat(strings).subarray(0, Number(result)),
          synced: file.synced,
        },
      ];
    }
    case 'write':
    case 'writev': {
      const offset = file.position;
      file.position += Number(result);
      return [
        {
          kind: 'write',
          offset,
          data: Buffer.concat(strings).subarray(0, Number(result)),
          synced: file.synced,
        },
      ];
    }
    default:
      throw new Error(`The data file was changed by ${name}, which the simulation does not know`);
  }
}

/** The file after a cut before step `at`: what is certain, and of the rest what chance leaves. */
export function afterPowerCut(steps: readonly Step[], at: number, random: SeededRandom): Buffer {
  let file = Buffer.alloc(0);
  const write = (offset: number, data: Buffer) => {
    if (file.length < offset + data.length)
      file = Buffer.concat([file, Buffer.alloc(offset + data.length - file.length)]);
    data.copy(file, offset);
  };
  let lastSync = -1;
  for (let i = 0; i < at; i++) if (steps[i]!.kind === 'sync') lastSync = i;
  for (let i = 0; i < at; i++) {
    const step = steps[i]!;
    if (step.kind !== 'write') continue;
    if (i < lastSync || step.synced) write(step.offset, step.data);
    else for (const sector of sectorsOf(step)) if (random.chance(0.5)) write(sector.offset, sector.data);
  }
  // The step that was under way when the power went.
  const current = steps[at];
  if (current?.kind === 'write')
    for (const sector of sectorsOf(current)) if (random.chance(0.5)) write(sector.offset, sector.data);
  return file;
}

const sectorBytes = 512;

function* sectorsOf(step: { offset: number; data: Buffer }): Generator<{ offset: number; data: Buffer }> {
  for (let start = 0; start < step.data.length; ) {
    const end = Math.min(step.data.length, start + sectorBytes - ((step.offset + start) % sectorBytes));
    yield { offset: step.offset + start, data: step.data.subarray(start, end) };
    start = end;
  }
}

function decode(escaped: string): Buffer {
  return Buffer.from(escaped.replaceAll('\\x', ''), 'hex');
}
