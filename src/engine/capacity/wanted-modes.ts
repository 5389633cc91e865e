import { type PhysicsOverrides, readOverrides } from '../../physics/modes.ts';

/** Settings that somebody asks for over the control API. */
export type WantedModes = PhysicsOverrides;

/** Reads them; a text says what is wrong. */
export function readModes(body: Readonly<Record<string, unknown>>): WantedModes | string {
  if (body.mode === undefined && body.effects === undefined && body.indexLagMs === undefined) {
    const unknown = Object.keys(body)[0];
    return unknown === undefined
      ? 'Give mode, effects or indexLagMs.'
      : `Physics settings have no "${unknown}".`;
  }
  return readOverrides(body);
}
