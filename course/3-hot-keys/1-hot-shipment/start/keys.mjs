/** The partition key of an event. eventId is a text such as 'e-10234'. */
export function writeKey(shipment, eventId) {
  return `SHIPMENT#${shipment}`;
}

/** Every partition key under which events of the shipment may lie. */
export function readKeys(shipment) {
  return [`SHIPMENT#${shipment}`];
}
