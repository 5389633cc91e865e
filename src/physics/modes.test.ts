import { describe, expect, it } from 'vitest';
import { defaultPhysicsSettings, mergeSettings, readOverrides } from './modes.ts';

describe('physics settings', () => {
  it('are shadow with all effects by default', () => {
    expect(defaultPhysicsSettings.mode).toBe('shadow');
    expect(Object.values(defaultPhysicsSettings.effects).every((on) => on)).toBe(true);
  });

  it('of a table win over those of the server, member by member', () => {
    const server = mergeSettings(defaultPhysicsSettings, { effects: { staleReads: false } });
    const table = mergeSettings(server, { mode: 'enforce', effects: { accountQuotas: false } });
    expect(table.mode).toBe('enforce');
    expect(table.effects).toMatchObject({ staleReads: false, accountQuotas: false, partitionCeilings: true });
    expect(mergeSettings(server, undefined)).toBe(server);
  });

  it.each([
    [{ mode: 'strict' }, '"mode" must be one of off, shadow, enforce, not "strict".'],
    [{ mod: 'off' }, 'Physics settings have no "mod".'],
    [{ effects: { lag: true } }, 'There is no effect "lag".'],
    [{ effects: { indexLag: 'yes' } }, '"effects.indexLag" must be true or false, not "yes".'],
    [{ indexLagMs: 'slow' }, '"indexLagMs" must be milliseconds, or an object'],
    [{ indexLagMs: -1 }, '"indexLagMs" must be 0 to 600000 milliseconds, not -1.'],
    [{ indexLagMs: { min: 1 } }, '"indexLagMs" needs "min" and "max".'],
    [{ indexLagMs: { min: 1, p75: 2, max: 3 } }, '"indexLagMs" has no "p75".'],
    [{ indexLagMs: { min: 1, p50: 9, p99: 8, max: 10 } }, '"indexLagMs" must not fall'],
    [{ effects: [] }, '"effects" must be an object'],
    ['off', 'must be an object'],
    [null, 'must be an object'],
  ])('%j is refused', (value, text) => {
    expect(readOverrides(value)).toContain(text);
  });

  it('are read', () => {
    expect(readOverrides({})).toEqual({});
    expect(readOverrides({ mode: 'off', effects: { indexLag: false } })).toEqual({
      mode: 'off',
      effects: { indexLag: false },
    });
    expect(readOverrides({ indexLagMs: 250 })).toEqual({ indexLagMs: 250 });
  });
});
