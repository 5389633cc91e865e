import { type Failure, failuresMax, type Path } from './constraints.ts';
import type { EnumManner, ValidationLayer } from './operation-layers.ts';
import { javaMember, renderValue } from './render-value.ts';

/** The text of the one ValidationException that reports all broken constraints of a request. */
export function constraintMessage(
  layer: ValidationLayer,
  enums: EnumManner,
  failures: readonly Failure[],
): string {
  return layer === 'older' ? olderMessage(failures) : newerMessage(enums, failures);
}

/**
 * Of wrong keys of a map, the table names of BatchWriteItem, nothing is said beside a wrong enum (observed: public
 * captures, October 2026).
 */
function olderMessage(failures: readonly Failure[]): string {
  const told = failures.some(({ kind }) => kind === 'enum')
    ? failures.filter(({ kind }) => kind !== 'keys')
    : failures;
  return olderList(told);
}

/**
 * The newer layer in the order in which it decides (observed: conformance suite, 20 September 2026, eu-west-2, probes
 * `s_put_…` and `o_…`):
 *
 * 1. With a required member missing it leaves the request to the older layer, which lists everything.
 * 2. A length or range that does not fit is reported alone, before any enum, by the member's name on the wire and
 *    without the value: `1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member must
 *    have length greater than or equal to 1`. A table name of more than 255 characters is the exception: it is
 *    echoed in the older words, like one with wrong characters.
 * 3. Enums. Those it converts itself have a text without name or value, and for some operations end the search.
 */
function newerMessage(enums: EnumManner, failures: readonly Failure[]): string {
  if (failures.some((failure) => failure.kind === 'absent')) return olderList(failures);

  const size = failures.find((failure) => failure.kind === 'size' && !isOverlongName(failure));
  if (size !== undefined) {
    return detected([
      `Value at '${pathText(size.path, 'newer')}' failed to satisfy constraint: ${size.text}`,
    ]);
  }

  const converted = failures.find(isConvertedEnum);
  if (enums !== 'all' && converted !== undefined) {
    const text = inNewerWords(converted);
    return enums === 'first' ? detected([text]) : text;
  }
  return detected(failures.map(inNewerWords));
}

function isOverlongName({ shape, value }: Failure): boolean {
  return shape.kind === 'string' && shape.orArn === true && value !== '';
}

function isConvertedEnum({ kind, shape }: Failure): boolean {
  return kind === 'enum' && shape.kind === 'string' && shape.newerValues !== undefined;
}

/** A map with wrong keys is echoed as JSON (observed: public captures, BatchGetItem, two Regions, October 2026). */
function inNewerWords(failure: Failure): string {
  const { kind, shape } = failure;
  if (kind === 'keys') return inOlderWords(failure, JSON.stringify(failure.value));
  return kind === 'enum' && shape.kind === 'string' && shape.newerValues !== undefined
    ? `Failed to satisfy constraint: Member must satisfy enum value set: [${shape.newerValues}]`
    : inOlderWords(failure);
}

function inOlderWords({ path, shape, value, text }: Failure, shown = renderValue(shape, value)): string {
  const echo = value === null ? 'null' : `'${shown}'`;
  return `Value ${echo} at '${pathText(path, 'older')}' failed to satisfy constraint: ${text}`;
}

function olderList(failures: readonly Failure[]): string {
  return detected(failures.map((failure) => inOlderWords(failure)));
}

function detected(texts: readonly string[]): string {
  const listed = texts.slice(0, failuresMax);
  return `${listed.length} validation error${listed.length === 1 ? '' : 's'} detected: ${listed.join('; ')}`;
}

function pathText(path: Path, layer: ValidationLayer): string {
  const steps: string[] = [];
  for (let at: Path | undefined = path; at?.parent !== undefined; at = at.parent) {
    steps.push(at.isMember && layer === 'older' ? javaMember(at.step) : at.step);
  }
  return steps.reverse().join('.');
}
