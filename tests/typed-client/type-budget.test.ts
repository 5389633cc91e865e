import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Type instantiations that a program with a typed client of the SaaS model may cost beyond its plain model. */
const budget = 10_000;

const imports = "import saas from '../../examples/models/saas/model.ts';\n";
const uses = `import { client } from '../../src/client/index.ts';
const app = client(saas, { client: undefined as never });
export const tenant = await app.patterns.P1({ tenantId: 't' });
export const plan: 'FREE' | 'TEAM' | 'ENTERPRISE' | undefined = tenant?.plan;
for await (const one of app.patterns.P4({ assigneeId: 'a' })) one.title.length;
for await (const one of app.patterns.P8({ projectId: 'p' })) if (one.entity === 'Task') one.values.taskId.length;
await app.patterns.signUp({ userId: 'u', name: 'n', email: 'e', avatar: 'a' });
await app.patterns.workOnTask({ projectId: 'p', taskId: 't', createdAt: 'c', dueOn: null });
await app.entities.Project.update({ projectId: 'p' }, { status: 'ARCHIVED' });
`;

describe('the types of the client', () => {
  it(`cost at most ${budget} instantiations for the SaaS model`, () => {
    const dir = mkdtempSync(join(root, 'tests/typed-client/budget-'));
    try {
      const near = (text: string) => text.replaceAll("'../../", "'../../../");
      const plain = instantiations(dir, near(`${imports}export default saas;\n`));
      const typed = instantiations(dir, near(`${imports}${uses}`));
      expect(plain).toBeGreaterThan(100);
      expect(typed - plain).toBeGreaterThan(0);
      expect(typed - plain).toBeLessThanOrEqual(budget);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

function instantiations(dir: string, program: string): number {
  writeFileSync(join(dir, 'program.ts'), program);
  writeFileSync(
    join(dir, 'tsconfig.json'),
    JSON.stringify({
      extends: `${root}tsconfig.json`,
      compilerOptions: {
        rootDir: root,
        paths: { 'stator/design': [`${root}src/design/index.ts`] },
        noEmit: true,
        declaration: false,
      },
      include: ['program.ts'],
      exclude: [],
    }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const text = execFileSync(process.execPath, [tsc, '-p', dir, '--extendedDiagnostics'], {
    encoding: 'utf8',
  });
  const found = /Instantiations:\s+([\d,]+)/.exec(text);
  if (found === null) throw new Error(`tsc tells no instantiations:\n${text}`);
  return Number(found[1]!.replaceAll(',', ''));
}
