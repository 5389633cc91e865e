export function clinic({ choice, count, entity, get, id, list, model, of, per, text, time }) {
  const patient = entity('Patient', {
    identity: { patientId: id(8) },
    fixed: { name: text(30) },
    population: count(50_000),
  });
  const doctor = entity('Doctor', { identity: { doctorId: id(6) }, population: count(200) });
  const appointment = entity('Appointment', {
    identity: { appointmentId: id(10) },
    fixed: { patientId: of(patient), doctorId: of(doctor), startsAt: time() },
    population: per(patient, { mean: 10, max: 300 }),
  });
  const bill = entity('Bill', {
    identity: { billId: id(10) },
    fixed: { patientId: of(patient), issuedAt: time() },
    changing: { state: choice({ UNPAID: 0.05, PAID: 0.95 }) },
    population: per(patient, { mean: 10, max: 300 }),
  });

  return model('clinic', {
    entities: [patient, doctor, appointment, bill],
    reads: {
      R1: get(patient, { does: 'a patient', by: 'patientId', peak: 20 }),
      // R2, R3 and R4 are yours: list(appointment, { … })
    },
    writes: {},
  });
}
