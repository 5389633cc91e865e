import type { Design } from '../design.ts';
import type { Model } from '../ir.ts';
import type { ModelFacts } from '../model-facts.ts';
import type { CheckId } from './check-list.ts';
import { checkList } from './check-list.ts';
import type { Finding, Measure, Severity } from './finding.ts';
import type { Forecast } from './forecast.ts';

/** What the checks look at. */
export interface Subject {
  readonly model: Model;
  readonly facts: ModelFacts;
  readonly design: Design;
  readonly forecast: Forecast;
}

interface Told {
  readonly message: string;
  readonly fix: string;
  readonly number?: Measure;
  readonly severity?: Severity;
}

export function finding(check: CheckId, where: string, { severity, ...told }: Told): Finding {
  return { check, severity: severity ?? checkList[check].severity, where, ...told };
}

/** A number as people read it. */
export function amount(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return Number(value.toPrecision(2)).toLocaleString('en-US');
}

export function bytesText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${amount(value)} ${units[unit]}`;
}

export function percent(share: number): string {
  return `${amount(share * 100)} %`;
}
