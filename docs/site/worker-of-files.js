// The search of the site is a worker, and a browser gives none to pages that are read from files. There, and only there,
// the worker's script runs in a hidden frame of the page instead: what it posts arrives here, and the other way round.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #ready;

    constructor(script) {
      super();
      this.#frame.hidden = true;
      document.body.append(this.#frame);
      const inside = this.#frame.contentWindow;
      inside.postMessage = (data) => this.#arrived(data);
      inside.importScripts = async (...urls) => {
        for (const url of urls) await this.#load(url);
      };
      this.#ready = this.#load(script);
    }

    // A script of the site, run in the frame.
    #load(url) {
      const tag = this.#frame.contentDocument.createElement("script");
      tag.src = new URL(url, location.href).href;
      return new Promise((resolve, reject) => {
        tag.onload = resolve;
        tag.onerror = () => reject(new Error(`${url} cannot be read`));
        this.#frame.contentDocument.body.append(tag);
      });
    }

    #arrived(data) {
      const event = new MessageEvent("message", { data: structuredClone(data) });
      this.dispatchEvent(event);
      this.onmessage?.(event);
    }

    async postMessage(data) {
      await this.#ready;
      this.#frame.contentWindow.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) }));
    }

    terminate() {
      this.#frame.remove();
    }
  };
}
