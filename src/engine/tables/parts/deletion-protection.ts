import { flag, number, optional } from '../../../model/json/fields.ts';
import { none, type TablePart } from './table-part.ts';

export interface ProtectionSettings {
  readonly deletionProtection: boolean;
}

export interface ProtectionState {
  /** The time of the last change, where the service's interval between changes is acted out. */
  readonly protectionChangedAt?: number;
}

export const deletionProtection: TablePart<ProtectionSettings, ProtectionState> = {
  settings: { deletionProtection: flag },
  state: { protectionChangedAt: optional(number) },
  created: ({ deletionProtection: asked = false }) => ({ deletionProtection: asked }),
  changed: ({ deletionProtection: asked }, { deletionProtection: current }) => ({
    deletionProtection: asked ?? current,
  }),
  begun: none,
  described: ({ description }) => ({ DeletionProtectionEnabled: description.deletionProtection }),
};
