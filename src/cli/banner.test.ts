import { expect, it } from 'vitest';
import { physicsEffects } from '../physics-option.ts';
import { type BannerFacts, banner } from './banner.ts';
import { hasStatesOnly } from './physics-setting.ts';

const facts: BannerFacts = {
  ...{ version: '0', endpoint: 'http://127.0.0.1:8000', data: 'memory', dataNotes: [], region: 'us-east-1' },
  ...{ physics: 'enforce', auth: 'open', isOpenBind: false, everyAddress: false, workers: 1, processId: 1 },
};
const plain = (_: string, text: string) => text;

it('promises no throttles where only the states of tables are acted out', () => {
  const others = physicsEffects.filter((effect) => effect !== 'controlPlanePhases');
  const effects = Object.fromEntries(others.map((effect) => [effect, false]));
  expect(hasStatesOnly({ mode: 'enforce', effects })).toBe(true);
  expect(hasStatesOnly({ mode: 'enforce' })).toBe(false);
  expect(banner({ ...facts, hasStatesOnly: true }, plain)).toMatch(
    /Physics +enforce: .*nothing is throttled/,
  );
  expect(banner(facts, plain)).toMatch(/Physics +enforce: requests are throttled/);
});
