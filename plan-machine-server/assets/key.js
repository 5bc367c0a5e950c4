// The key of this page. In the link that opens the page, the key comes after the `#`; browsers do not send that part to
// any server. Cookies are sent to every port of a host, but only pages of this origin can read the stored key.

const NAME = "plan-machine-page";

/** Stores the key from the address, and removes it from the address, if the page was opened by a link. */
export function takeKey() {
  const found = /^#page=([0-9a-f]+)$/.exec(location.hash);
  if (!found) return;
  localStorage.setItem(NAME, found[1]);
  history.replaceState(null, "", location.pathname + location.search);
}

/** Returns the header that proves that a request comes from this page. */
export const keyHeader = () => ({ "X-Plan-Machine-Page": localStorage.getItem(NAME) ?? "" });
