import type { ControlGuard } from './control-guard.ts';
import { jsonPage, ofAccount, type Resource } from './control-resource.ts';

/** The account of access keys that name none. */
const defaultAccountId = '000000000000';

/** A model with its design, as `stator design derive` takes the one and writes the other, and the account of its tables. */
export interface ServedModel {
  /** By default 000000000000. */
  readonly accountId?: string;
  readonly model: { readonly format: 'stator-model/1'; readonly name: string };
  readonly design: {
    readonly format: 'stator-design/1';
    readonly model: string;
    readonly tables: readonly { readonly name: string }[];
  };
}

/**
 * `GET /_stator/models`: the models that the server was started with, each with its design. They are plain data: the
 * server neither derives nor checks them, and whoever reads them can do both. Where signatures are verified, a key sees
 * the models of its own account, and an administrator's all.
 */
export function modelsResource(guard: ControlGuard): Resource {
  return {
    path: ['models'],
    intents: { GET: ofAccount('stator:ListModels') },
    methods: {
      GET(_, { requester }) {
        const { models = [], isVerified } = guard;
        const seesAll =
          !isVerified || (requester !== undefined && guard.isAdministrator(requester.accessKeyId));
        const shown = models.filter(
          ({ accountId = defaultAccountId }) => seesAll || accountId === requester?.accountId,
        );
        return jsonPage(200, { models: shown });
      },
    },
  };
}
