import type { ControlledDatabase } from './control-api.ts';
import { jsonPage, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';

/** `/_stator/health`: the process runs and answers. */
export const healthResource: Resource = {
  path: ['health'],
  intents: { GET: () => [] },
  unsigned: true,
  methods: { GET: () => ({ status: 200, headers: plainText, body: 'ok\n' }) },
};

/** `/_stator/ready`: the Store answers too, so the server can serve requests. */
export function readyResource<Database extends ControlledDatabase>({ base }: Namespaces<Database>): Resource {
  return {
    path: ['ready'],
    intents: { GET: () => [] },
    unsigned: true,
    methods: {
      async GET() {
        try {
          await base.engine.store.get(anyKey);
          return { status: 200, headers: plainText, body: 'ready\n' };
        } catch (error) {
          return jsonPage(503, { error: error instanceof Error ? error.message : String(error) });
        }
      },
    },
  };
}

const plainText = { 'Content-Type': 'text/plain; charset=utf-8' };
const anyKey = new Uint8Array([0]);
