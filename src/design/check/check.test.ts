import { describe, expect, it } from 'vitest';
import cases from '../../../examples/models/cases/model.ts';
import ecommerce from '../../../examples/models/ecommerce/model.ts';
import feed from '../../../examples/models/feed/model.ts';
import orders from '../../../examples/models/orders/model.ts';
import parcels from '../../../examples/models/parcels/model.ts';
import saas from '../../../examples/models/saas/model.ts';
import { derive } from '../derive/derive.ts';
import type { Model } from '../ir.ts';
import { listPrices } from '../prices.ts';
import { check, refusalReport } from './check.ts';
import { checkList } from './check-list.ts';
import { junit, sarif } from './sarif.ts';

const models: readonly Model[] = [orders, cases, ecommerce, feed, saas, parcels];

/** What a reviewer of the examples must know: nothing breaks, and these remarks stand. */
const remarks: Readonly<Record<string, readonly string[]>> = {
  orders: ['read-before-write write reserve'],
  cases: [
    'partition-growth entity Case in GSI1',
    'read-before-write write assign',
    'read-before-write write decide',
    'read-before-write write review',
  ],
  ecommerce: ['read-before-write write pay', 'read-before-write write ship'],
  feed: [],
  saas: [],
  parcels: [],
};

describe.each(models)('the example $name', (model) => {
  const report = check(model);

  it('breaks no rule', () => {
    expect(report.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const warnings = report.findings.filter(({ severity }) => severity === 'warning');
    expect(warnings.map(({ check: id, where }) => `${id} ${where}`)).toEqual(remarks[model.name]);
  });

  it('is forecast in the same units as derivation prices it', () => {
    const { forecast } = report;
    const { writeUnit, readUnit, secondsPerMonth } = listPrices;
    const design = derive(model);
    const reads = forecast!.reads.reduce(
      (sum, { units, fetchUnits, pattern }) => sum + (units + fetchUnits) * pattern.rate.mean * readUnit,
      0,
    );
    const writes = forecast!.writes.reduce((sum, { pattern, tableUnits, indexUnits }) => {
      const all = [...indexUnits.values()].reduce((total, units) => total + units, tableUnits);
      return sum + all * pattern.rate.mean * writeUnit;
    }, 0);
    const requests = (reads + writes) * secondsPerMonth;
    // Storage is a small part; shared projections make entries a little larger than the search assumes.
    expect(requests / design.monthly).toBeGreaterThan(0.6);
    expect(requests / design.monthly).toBeLessThan(1.15);
  });

  it('judges a stored design as it judges the derived one', () => {
    const stored = JSON.parse(JSON.stringify(report.design));
    expect(check(model, stored).findings).toEqual(report.findings);
  });
});

describe('a forged design', () => {
  it('is found out: a plan on the wrong index', () => {
    const design = derive(orders);
    const [table] = design.tables;
    const plans = table!.plans.map((plan) => (plan.pattern === 'A2' ? { ...plan, slot: 'GSI1' } : plan));
    const { findings } = check(orders, { ...design, tables: [{ ...table!, plans }] });
    expect(findings.find(({ where }) => where === 'read A2')?.check).toBe('sparse-index');
  });
});

describe('reports for machines', () => {
  const report = check(cases);

  it('are SARIF with a rule for each result', () => {
    const { runs } = sarif(report, 'model.ts', '1.2.3', () => 7) as {
      runs: {
        tool: { driver: { rules: { id: string }[] } };
        results: { ruleId: string; ruleIndex: number; level: string }[];
      }[];
    };
    const { results, tool } = runs[0]!;
    expect(results.length).toBe(report.findings.length);
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]!.id).toBe(ruleId);
  });

  it('are JUnit with a case for each check, and escape what the model says', () => {
    const odd = { ...report, model: 'a<b>&"\u0001' };
    const xml = junit(odd, ({ severity }) => severity === 'warning');
    expect(xml.match(/<testcase /g)!.length).toBe(Object.keys(checkList).length);
    const refused = refusalReport('m', [{ where: 'read R', rule: 'names', message: 'no "x"' }]);
    const counts = `tests="${Object.keys(checkList).length}" failures="1" errors="0" skipped="${Object.keys(checkList).length - 1}"`;
    expect(junit(refused, () => true)).toContain(`<testsuite name="m" ${counts}>`);
    expect(xml).toContain('failures="2"');
    expect(xml).toContain('a&lt;b&gt;&amp;&quot;�');
  });
});
