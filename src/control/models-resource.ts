import type { ControlGuard } from './control-guard.ts';
import { jsonPage, ofAccount, type Resource } from './control-resource.ts';

/** A model with its design, as `stator design derive` takes the one and writes the other. */
export interface ServedModel {
  readonly model: { readonly format: 'stator-model/1'; readonly name: string };
  readonly design: {
    readonly format: 'stator-design/1';
    readonly model: string;
    readonly tables: readonly { readonly name: string }[];
  };
}

/**
 * `GET /_stator/models`: the models that the server was started with, each with its design. They are plain data: the
 * server neither derives nor checks them, and whoever reads them can do both.
 */
export function modelsResource({ models = [] }: ControlGuard): Resource {
  return {
    path: ['models'],
    intents: { GET: ofAccount('stator:ListModels') },
    methods: { GET: () => jsonPage(200, { models }) },
  };
}
