// Is a ServicePort among those that were asked for?

/** Is it (`shop/cart:http`) of the Service (`shop/cart`), or the one port of it (`shop/cart:http`), that is asked for? */
export function belongsTo(servicePort: string, service: string): boolean {
  return servicePort === service || servicePort.startsWith(`${service}:`);
}
