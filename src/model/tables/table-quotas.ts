import { capacityLimits, tableLimits } from '../limits.ts';

/** Quotas of an account: AWS raises them on request, and some had other values in earlier years. */
export interface TableQuotas {
  /** Global secondary indexes of a table. */
  readonly globalIndexes: number;
  /**
   * Switches of a table from provisioned to on-demand within 24 hours; 1 is the rule until August 2025 (documented:
   * Developer Guide, Constraints).
   */
  readonly switchesToOnDemandPerDay: number;
}

/** The most that the option takes. AWS names no bound for what it raises on request; this one is ours. */
export const globalIndexesQuotaMax = 100;

export const defaultTableQuotas: TableQuotas = {
  globalIndexes: tableLimits.globalIndexesMax,
  switchesToOnDemandPerDay: capacityLimits.switchesToOnDemandPerDayMax,
};
