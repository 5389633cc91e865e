import type { Finding } from '../../../src/design/check/finding.ts';

const kinds = { error: 'red', warning: 'amber', note: '' } as const;

/** What breaks a rule, why it matters, and what would help. */
export function FindingList({
  title,
  findings,
}: {
  readonly title: string;
  readonly findings: readonly Finding[];
}) {
  if (findings.length === 0) return null;
  return (
    <section class="column">
      <h2>{title}</h2>
      <ul class="findings">
        {findings.map((one) => (
          <li key={`${one.check} ${one.where}`}>
            <div class="row">
              <span class={`badge ${kinds[one.severity]}`}>{one.severity}</span>
              <strong class="mono small">{one.check}</strong>
              <span class="soft small">{one.where}</span>
            </div>
            <p>{one.message}</p>
            <p class="soft">→ {one.fix}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
