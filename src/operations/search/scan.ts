import { checkScalarKeys, pathsOf } from '../../expressions/key-paths.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { partOf, partStart } from '../../model/keys/hash-segments.ts';
import { partitionHash } from '../../model/keys/keys.ts';
import { requestLimits } from '../../model/limits.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { concatBytes, prefixEnd } from '../../model/values/bytes.ts';
import { nowMs } from '../../runtime/clock.ts';
import { operation, type ReadRequest, reading } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { legacyConditions, readMembers } from '../shapes/read-shapes.ts';
import { integer } from '../shapes/shape.ts';
import { tableReference } from '../table-reference.ts';
import { type AnswerPlan, type PageOutput, pageAnswer, pageOutput } from './page-answer.ts';
import { PageItems } from './page-items.ts';
import { readSearchRequest, type SearchRequest } from './read-request.ts';
import { checkAllAttributes, checkProjected, needsItems } from './read-selection.ts';
import {
  checkConsistency,
  checkReadable,
  findTarget,
  noSuchIndex,
  type ReadTarget,
  readConsistency,
} from './read-target.ts';
import { searchIntent } from './search-intent.ts';
import { checkScanStartKey, storeKeyOf } from './start-key.ts';

export const scanShape = inputShape('Scan', {
  ...readMembers,
  ScanFilter: legacyConditions,
  TotalSegments: integer({ min: 1, max: requestLimits.scanSegmentsMax }),
  Segment: integer({ min: 0, max: requestLimits.scanSegmentsMax - 1 }),
});
export interface ScanInput extends InputOf<typeof scanShape> {}

export interface ScanOutput extends PageOutput {}

/** The part of the hash space that a Scan reads: from the hash `first` up to, but not including, `end`. */
interface Segment {
  readonly number: number;
  readonly total: number;
  readonly first: Uint8Array;
  readonly end: Uint8Array | undefined;
}

export const scan = operation<ScanInput, ScanOutput, ReadRequest<ScanInput, SearchRequest>>(
  scanShape,
  pageOutput,
  ({ input, request }, road) => [searchIntent(road, input, request)],
  (road, { input, request }) => {
    const { engine, caller } = road;
    const reference = tableReference(input.TableName, caller);
    if (reference instanceof DynamoError) return reference;
    const segment = segmentOf(input);
    const read = engine.readPage(road, reference, (table, h16): AnswerPlan | DynamoError => {
      const { startKey, projection } = request;
      const target = findTarget(table, input.IndexName);
      // For a missing index, the service reports the start key first.
      if (target === undefined)
        return startKey === undefined ? noSuchIndex(input.IndexName!) : invalidStartKey();
      const wrong =
        checkReadable(target, nowMs(engine.clock)) ??
        checkConsistency(target, input.ConsistentRead) ??
        (startKey && checkScanStartKey(target, startKey)) ??
        checkAllAttributes(target, input.Select);
      if (wrong !== undefined) return wrong;
      const after = startKey && { key: storeKeyOf(target, startKey, h16), item: startKey };
      const unfit =
        (after && checkInSegment(target, after.key, segment)) ?? checkAgainstSchema(target, request);
      if (unfit !== undefined) return unfit;
      return {
        target,
        from: concatBytes(target.prefix, segment.first),
        to: segment.end === undefined ? prefixEnd(target.prefix) : concatBytes(target.prefix, segment.end),
        reverse: false,
        after,
        limit: input.Limit,
        accepts: undefined,
        range: target.key.range,
        fetches: needsItems(target, input.Select, projection),
        sink: new PageItems(request, input.Select, engine.slices),
        hash: undefined,
        consistency: readConsistency(input.ConsistentRead),
        scanned: { first: segment.first, end: segment.end },
      };
    });
    return whenDone(read, (done) => (done instanceof DynamoError ? done : pageAnswer(road, input, done)));
  },
  reading(scanShape, (engine, input) =>
    readSearchRequest(engine, scanShape, input, () => checkSegments(input)),
  ),
);

function checkSegments({ Segment: segment, TotalSegments: total }: ScanInput): DynamoError | undefined {
  if (segment === undefined && total === undefined) return undefined;
  if (total === undefined) {
    return validationError(
      'The TotalSegments parameter is required but was not present in the request when Segment parameter is present',
    );
  }
  if (segment === undefined) {
    return validationError(
      'The Segment parameter is required but was not present in the request when parameter TotalSegments is present',
    );
  }
  if (segment < total) return undefined;
  return validationError(
    `The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: ${segment} is not less than TotalSegments: ${total}`,
  );
}

/** The segment of a Scan. Without segments it is the whole hash space. */
function segmentOf({ Segment: number = 0, TotalSegments: total = 1 }: ScanInput): Segment {
  return { number, total, first: partStart(number, total)!, end: partStart(number + 1, total) };
}

function invalidStartKey(): DynamoError {
  return validationError('The provided starting key is invalid');
}

/** Checks that the start key belongs to the segment. */
function checkInSegment(
  { prefix }: ReadTarget,
  startKey: Uint8Array,
  { number, total }: Segment,
): DynamoError | undefined {
  if (partOf(partitionHash(startKey, prefix.length), total) === number) return undefined;
  return validationError(
    `The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: ${total} Segment: ${number}`,
  );
}

function checkAgainstSchema(
  target: ReadTarget,
  { projection, filter }: SearchRequest,
): DynamoError | undefined {
  const { schema } = target.table;
  return (
    checkScalarKeys(projection?.paths ?? [], schema) ??
    (filter && checkScalarKeys(pathsOf(filter), schema)) ??
    checkProjected(target, projection, filter)
  );
}
