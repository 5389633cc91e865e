import { pageOfFinding, useFindings } from '../data/doctor.ts';
import { DoctorFinding } from '../parts/doctor-finding.tsx';

/** What the doctor finds about a table, on the page where it belongs. Mere notes stand on the overview. */
export function DoctorNotes({ table, page }: { readonly table: string; readonly page: string }) {
  const { value } = useFindings(table);
  const here = (value ?? []).filter((one) => one.severity !== 'note' && pageOfFinding(one) === page);
  if (here.length === 0) return null;
  return (
    <aside class="doctor-notes" aria-label="What the doctor finds">
      {here.map((one) => (
        <DoctorFinding
          key={`${one.id} ${one.index ?? ''} ${one.key ?? ''} ${one.pattern ?? ''}`}
          finding={one}
        />
      ))}
    </aside>
  );
}
