import { architecture } from './architecture.ts';
import { autoScaling } from './auto-scaling.ts';
import { capacityModes } from './capacity-modes.ts';
import { indexOverlay } from './index-overlay.ts';
import { itemCollections } from './item-collections.ts';
import type { Drawing } from './paper.ts';
import { partitionsUnderLoad } from './partitions-under-load.ts';
import { prefixes } from './prefixes.ts';
import { queryAndScan } from './query-and-scan.ts';
import { streamTimeline } from './stream-timeline.ts';
import { writeAmplification } from './write-amplification.ts';

/** The pictures of `docs/handbook/pictures`. */
export const drawings: readonly Drawing[] = [
  { file: 'architecture.svg', draw: architecture },
  { file: 'auto-scaling.svg', draw: autoScaling },
  { file: 'capacity-modes.svg', draw: capacityModes },
  { file: 'index-overlay.svg', draw: indexOverlay },
  { file: 'item-collections.svg', draw: itemCollections },
  { file: 'partitions-under-load.svg', draw: partitionsUnderLoad },
  { file: 'prefixes.svg', draw: prefixes },
  { file: 'query-and-scan.svg', draw: queryAndScan },
  { file: 'stream-timeline.svg', draw: streamTimeline },
  { file: 'write-amplification.svg', draw: writeAmplification },
];
