import { type CloudWatchError, invalidValue, missingParameter } from './cloudwatch-errors.ts';
import { standardUnits } from './cloudwatch-shapes.ts';

const lengths = { name: 255, value: 1024, dimensions: 30 } as const;

/** The years that a time of ISO 8601 can name, in seconds: 0001 to 9999. Metrics lie in the middle of them. */
const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;

/** Why a time that was sent is none to compute with. The text is ours: what AWS answers to such times is not known. */
export function timeProblem(name: string, seconds: number): string | undefined {
  return seconds >= firstSecond && seconds <= lastSecond
    ? undefined
    : `The parameter ${name} must be a time in the years 0001 to 9999.`;
}

/** Metric names and dimensions are ASCII, without control characters. */
const printable = /^[\x20-\x7e]+$/;

/** What is wrong with a window of time. */
export function windowProblem(times: {
  readonly StartTime: number;
  readonly EndTime: number;
}): string | undefined {
  const { StartTime, EndTime } = times;
  return (
    timeProblem('StartTime', StartTime) ??
    timeProblem('EndTime', EndTime) ??
    (StartTime < EndTime ? undefined : 'The parameter StartTime must be less than the parameter EndTime.')
  );
}

/** The checks of PutMetricData and GetMetricStatistics, which name a parameter by its place. */
export const parameterChecks = {
  namespace(value: string, { allowsAws }: { allowsAws: boolean }): CloudWatchError | undefined {
    if (value.length === 0 || value.length > lengths.name || value.startsWith(':') || !printable.test(value))
      return invalidValue(`The value ${value.slice(0, 100)} for parameter Namespace is invalid.`);
    if (!allowsAws && value.startsWith('AWS/'))
      return invalidValue('The value AWS/ for parameter Namespace is invalid.');
    return undefined;
  },

  metricName(parameter: string, value: string | undefined): CloudWatchError | undefined {
    if (value === undefined || value === '')
      return missingParameter(`The parameter ${parameter} is required.`);
    return text(parameter, value, lengths.name);
  },

  dimensions(
    parameter: string,
    dimensions: readonly { readonly Name?: string; readonly Value?: string }[] = [],
  ): CloudWatchError | undefined {
    if (dimensions.length > lengths.dimensions)
      return invalidValue(
        `The collection ${parameter} must not have a size greater than ${lengths.dimensions}.`,
      );
    const names = new Set<string>();
    for (const [at, { Name, Value }] of dimensions.entries()) {
      const place = `${parameter}.member.${at + 1}`;
      if (Name === undefined || Name === '')
        return missingParameter(`The parameter ${place}.Name is required.`);
      if (Value === undefined || Value === '')
        return missingParameter(`The parameter ${place}.Value is required.`);
      const wrong = text(`${place}.Name`, Name, lengths.name) ?? text(`${place}.Value`, Value, lengths.value);
      if (wrong !== undefined) return wrong;
      if (Name.startsWith(':'))
        return invalidValue(`The value ${Name} for parameter ${place}.Name is invalid.`);
      if (names.has(Name))
        return invalidValue(
          `The parameter ${place}.Name has the value ${Name}, which another dimension has.`,
        );
      names.add(Name);
    }
    return undefined;
  },

  unit(parameter: string, value: string | undefined): CloudWatchError | undefined {
    if (value === undefined || (standardUnits as readonly string[]).includes(value)) return undefined;
    return invalidValue(
      `The parameter ${parameter} must be a value in the set [ ${standardUnits.join(', ')} ].`,
    );
  },
};

function text(parameter: string, value: string, max: number): CloudWatchError | undefined {
  if (value.length > max)
    return invalidValue(`The value for parameter ${parameter} must be shorter than ${max + 1} characters.`);
  if (!printable.test(value) || value.trim() === '')
    return invalidValue(`The value for parameter ${parameter} has characters that are not printable ASCII.`);
  return undefined;
}
