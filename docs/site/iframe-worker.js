// A worker for pages that are opened as files, of which browsers start none: a frame that is not shown runs its script.
// The search of the site asks for one, and without it would have to fetch one from elsewhere.
(() => {
  class FrameWorker extends EventTarget {
    #frame = document.createElement("iframe");
    #begun;

    constructor(address) {
      super();
      this.#frame.hidden = true;
      document.documentElement.append(this.#frame);
      const inside = this.#frame.contentWindow;
      // What the script says is for this page; to the frame itself it would be heard by the script again.
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...names) =>
        names.reduce((before, name) => before.then(() => this.#load(name)), Promise.resolve());
      this.#begun = this.#load(address);
    }

    #load(address) {
      return new Promise((done, failed) => {
        const script = this.#frame.contentDocument.createElement("script");
        script.src = new URL(address, location.href);
        script.onload = done;
        script.onerror = () => failed(new Error(`${script.src} could not be loaded`));
        this.#frame.contentDocument.documentElement.append(script);
      });
    }

    postMessage(data) {
      const inside = this.#frame.contentWindow;
      this.#begun.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }

    terminate() {
      this.#frame.remove();
    }
  }

  if (location.protocol === "file:") {
    // The script looks for this name in the page around it, to know that it is in a frame.
    window.IFrameWorker = FrameWorker;
    window.Worker = FrameWorker;
  }
})();
