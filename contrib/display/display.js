// A display that is nothing but MQTT over WebSocket: copy it and make it yours.
//
// It keeps its presence, shows the state, follows events and frames, and switches the nearby thing.
// Options in the address: ?broker=ws://host:9001&root=trilateral/node&display=id
'use strict';

// MARK: MQTT 3.1.1 over a WebSocket, as much as a display needs: QoS 0, one will, and a password.
// Source: MQTT Version 3.1.1, OASIS Standard, sections 2, 3 and 6.

class MQTTConnection {
    // `options`: { url, clientID, user, password, will: { topic, payload }, onConnected, onMessage, onClosed }
    constructor(options) {
        this.options = options;
        this.buffer = new Uint8Array(0);
        this.nextID = 1;
        this.isConnected = false;
        this.encoder = new TextEncoder();
        this.decoder = new TextDecoder();
        this.socket = new WebSocket(options.url, 'mqtt');
        this.socket.binaryType = 'arraybuffer';
        this.socket.onopen = () => this.connect();
        this.socket.onmessage = (event) => this.receive(new Uint8Array(event.data));
        this.socket.onclose = () => this.end('the connection to the broker is closed');
        // A broker that does not answer, now or later, is gone.
        this.heard = Date.now();
        this.timer = setInterval(() => this.checkLife(), 5000);
    }

    subscribe(filters) {
        const parts = filters.map((filter) => [...this.string(filter), 0]);
        this.send(0x82, [...this.packetID(), ...parts.flat()]);
    }

    publish(topic, payload, isRetained = false) {
        this.send(isRetained ? 0x31 : 0x30, [...this.string(topic), ...this.encoder.encode(payload)]);
    }

    // Closes in good order: the broker forgets the will.
    disconnect() {
        this.send(0xe0, []);
        this.socket.close();
        this.end(null);
    }

    connect() {
        const { clientID, user, password, will } = this.options;
        const flags = 0x02 | (will ? 0x24 : 0) | (user ? 0x80 : 0) | (user && password ? 0x40 : 0);
        this.send(0x10, [
            ...this.string('MQTT'), 4, flags, 0, MQTTConnection.keepAliveSeconds, ...this.string(clientID),
            ...(will ? [...this.string(will.topic), ...this.string(will.payload)] : []),
            ...(user ? this.string(user) : []), ...(user && password ? this.string(password) : []),
        ]);
    }

    send(head, body) {
        if (this.socket.readyState !== WebSocket.OPEN) { return; }
        const length = [];
        let rest = body.length;
        do {
            length.push(rest % 128 | (rest >= 128 ? 128 : 0));
            rest = Math.floor(rest / 128);
        } while (rest > 0);
        this.socket.send(new Uint8Array([head, ...length, ...body]));
    }

    string(text) {
        const bytes = this.encoder.encode(text);
        return [bytes.length >> 8, bytes.length & 255, ...bytes];
    }

    packetID() {
        const id = this.nextID;
        this.nextID = id % 65535 + 1;
        return [id >> 8, id & 255];
    }

    // Packets may be split and joined by WebSocket messages.
    receive(bytes) {
        this.heard = Date.now();
        const joined = new Uint8Array(this.buffer.length + bytes.length);
        joined.set(this.buffer);
        joined.set(bytes, this.buffer.length);
        let start = 0;
        for (;;) {
            let [length, digits] = [0, 0];
            let byte;
            do {
                byte = joined[start + 1 + digits];
                if (byte === undefined || digits > 3) { break; }
                length += (byte & 127) * 128 ** digits;
                digits += 1;
            } while (byte & 128);
            if (digits > 3 && byte & 128 || length > MQTTConnection.packetLimit) { return this.fail('a packet is too large'); }
            const body = start + 1 + digits;
            if (byte === undefined || body + length > joined.length) { break; }
            this.handle(joined[start], joined.subarray(body, body + length));
            start = body + length;
        }
        this.buffer = joined.slice(start);
    }

    handle(head, body) {
        switch (head >> 4) {
        case 2: // CONNACK
            if (body[1] !== 0) {
                const needsPassword = body[1] === 4 || body[1] === 5;
                return this.fail(needsPassword ? 'the broker wants a user and a password'
                    : `the broker refuses us (code ${body[1]})`, needsPassword);
            }
            this.isConnected = true;
            return this.options.onConnected();
        case 3: { // PUBLISH, of QoS 0, as we have subscribed
            const length = body[0] << 8 | body[1];
            const topic = this.decoder.decode(body.subarray(2, 2 + length));
            return this.options.onMessage(topic, this.decoder.decode(body.subarray(2 + length)));
        }
        case 9: // SUBACK
            if (body.subarray(2).includes(0x80)) { this.fail('the broker does not let us read', true); }
            return undefined;
        default:
            return undefined;
        }
    }

    checkLife() {
        const silence = Date.now() - this.heard;
        if (silence > MQTTConnection.keepAliveSeconds * 1500) { return this.fail('the broker does not answer'); }
        if (silence > MQTTConnection.keepAliveSeconds * 500 && this.isConnected) { this.send(0xc0, []); }
        return undefined;
    }

    fail(reason, needsPassword = false) {
        this.socket.close();
        this.end(reason, needsPassword);
    }

    end(reason, needsPassword = false) {
        if (this.hasEnded) { return; }
        this.hasEnded = true;
        this.isConnected = false;
        clearInterval(this.timer);
        this.socket.onmessage = null;
        this.options.onClosed(reason, needsPassword);
    }
}
MQTTConnection.keepAliveSeconds = 20;
MQTTConnection.packetLimit = 1 << 20;

// MARK: The display

const query = new URLSearchParams(location.search);
const element = (id) => document.getElementById(id);

// `storage` is localStorage or sessionStorage; a browser may have switched them off.
function stored(storage, key, make) {
    try {
        let value = window[storage].getItem(key);
        if (value === null && make) { window[storage].setItem(key, value = make()); }
        return value;
    } catch {
        return make ? make() : null;
    }
}

const randomID = () => Math.random().toString(36).slice(2, 10) + Math.random().toString(36).slice(2, 6);
const host = location.hostname || 'localhost';
const broker = query.get('broker') || `${location.protocol === 'https:' ? 'wss' : 'ws'}://${host}:9001`;
const root = query.get('root') || 'trilateral/demo';
const display = (query.get('display') || stored('localStorage', 'trilateral-display', randomID))
    .replace(/[^A-Za-z0-9_-]/g, '').slice(0, 64) || randomID();
const presence = `${root}/display/${display}/presence`;

let connection = null;
let pause = 1;
let nearby = null;
let heading = null;
let position = null;
let lastEvent = null;
let commands = 0;

function open() {
    element('problem').textContent = 'Connecting…';
    connection = new MQTTConnection({
        url: broker,
        // Some brokers accept short identifiers only.
        clientID: `display-${randomID()}`,
        user: stored('sessionStorage', 'trilateral-user'),
        password: stored('sessionStorage', 'trilateral-password'),
        // If we vanish, the broker says that this display is gone.
        will: { topic: presence, payload: 'gone' },
        onConnected() {
            pause = 1;
            lastEvent = null;
            element('problem').textContent = '';
            element('sign-in').hidden = true;
            connection.subscribe(['status', 'state', 'nearby', 'frame', 'event/+', 'response/set'].map((tail) => `${root}/${tail}`));
            sendPresence();
        },
        onMessage: (topic, payload) => receive(topic.slice(root.length + 1), payload),
        onClosed(reason, needsPassword) {
            if (reason === null) { return; }
            element('problem').textContent = `No connection: ${reason}.`;
            element('toggle').hidden = true;
            element('sign-in').hidden = !needsPassword;
            if (needsPassword) { return; }
            // With jitter, so that a hundred displays do not come back at once.
            setTimeout(open, pause * (750 + Math.random() * 500));
            pause = Math.min(pause * 2, 30);
        },
    });
}

// The will is retained, so what we say ourselves must be, too.
function sendPresence() {
    if (connection && connection.isConnected) { connection.publish(presence, document.hidden ? 'hidden' : 'visible', true); }
}

function receive(tail, payload) {
    if (tail === 'status') {
        element('problem').textContent = payload === 'online' ? '' : 'Trilateral is offline.';
        return;
    }
    let body;
    try { body = JSON.parse(payload); } catch { return; }
    if (body === null || typeof body !== 'object') { return; }
    if (tail === 'state') { showState(body); }
    if (tail === 'nearby') { showNearby(body); }
    if (tail === 'frame') { showPlace(body); }
    if (tail === 'response/set') { showAnswer(body); }
    if (tail.startsWith('event/')) { showEvent(tail, body); }
}

// Units of what things measure and set, as the built-in profiles call it.
const units = { temperature: '°C', setpoint: '°C', humidity: '%', target: '%', speed: '%', volume: '%', power: 'W', co2: 'ppm', illuminance: 'lx' };
const quantity = (value, unit) => `${Math.round(value * 10) / 10}\u00a0${unit}`;

// A picture for what a thing is, by what it has: the first one that fits.
const shapes = [
    ['setpoint', 'M10 14V5a2 2 0 0 1 4 0v9a4.5 4.5 0 1 1-4 0zM12 9v8.5'],
    ['position', 'M3 3.5h18M5 3.5v17h14v-17M5 7.5h14M5 11.5h14M12 11.5v4M10.5 15.5h3'],
    ['locked', 'M6 11h12v9.5H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11M12 14.5v2.5'],
    ['open', 'M6 21V3h12v18M3.5 21h17M14.5 12v.1'],
    ['occupied', 'M12 3.5a4 4 0 1 1 0 8a4 4 0 0 1 0-8zM4 21c0-9 16-9 16 0'],
    ['speed', 'M12 12c-4-1-5-9-.5-9s3 6 .5 9zM12 12c3-3 10.5-1 9 3s-6.5 1-9-3zM12 12c1 4-4.5 9-8 6s2.5-6 8-6z'],
    ['color_mode', 'M9 18h6M10 21.5h4M12 2.5a6.5 6.5 0 0 0-4 11.6c.7.6 1 1.2 1 2.4h6c0-1.2.3-1.8 1-2.4a6.5 6.5 0 0 0-4-11.6z'],
    ['state', 'M12 3v9M7 5.8a8 8 0 1 0 10 0'],
    ['id', 'M4 16a8.5 8.5 0 1 1 16 0M12 14l4-5M4 20h16'],
];
const shapeOf = (thing) => shapes.find(([key]) => key in thing || key in (thing.values || {}))[1];

// What a thing shows: "40 % open", "19.5 °C, set to 21 °C", "on, 60 %".
function reading(thing) {
    const values = thing.values || {};
    const words = [];
    if (thing.state) { words.push(thing.state === 'ON' ? 'on' : 'off'); }
    if (Number.isFinite(thing.brightness)) { words.push(quantity(thing.brightness / 2.55, '%')); }
    if (Number.isFinite(values.position)) {
        words.push(values.position <= 0 ? 'closed' : values.position >= 100 ? 'open' : `${quantity(values.position, '%')}\u00a0open`);
    }
    if (typeof values.locked === 'boolean') { words.push(values.locked ? 'locked' : 'unlocked'); }
    if (typeof values.open === 'boolean') { words.push(values.open ? 'open' : 'closed'); }
    if (typeof values.occupied === 'boolean') { words.push(values.occupied ? 'occupied' : 'not occupied'); }
    for (const key of ['temperature', 'humidity', 'setpoint', 'target', 'speed', 'power', 'co2', 'illuminance']) {
        if (!Number.isFinite(values[key]) || words.length > 2) { continue; }
        const isGoal = key === 'setpoint' || key === 'target';
        words.push((isGoal && words.length ? 'set\u00a0to\u00a0' : '') + quantity(values[key], units[key]));
    }
    return words.join(', ');
}

// Names come from the network: they are text, never HTML.
function showState(state) {
    element('environment').textContent = (state.environment && state.environment.name) || '–';
    element('zone').textContent = (state.zone && state.zone.name) || '–';
    if (state.device) { showPlace(state.device); }
    if (state.nearby) { showNearby(state.nearby); }
}

function showNearby(thing) {
    nearby = thing.id ? thing : null;
    const color = nearby && nearby.color;
    const isColour = color && [color.r, color.g, color.b].every((part) => Number.isInteger(part));
    element('nearby').style.setProperty('--thing', isColour ? `rgb(${color.r} ${color.g} ${color.b})` : '#777');
    element('name').textContent = nearby ? nearby.name : 'Nothing is nearby';
    element('icon').toggleAttribute('hidden', !nearby);
    if (nearby) { element('icon').firstElementChild.setAttribute('d', shapeOf(nearby)); }
    element('value').textContent = nearby ? reading(nearby) : '';
    element('details').textContent = nearby && Number.isFinite(nearby.distance_m) ? `${nearby.distance_m.toFixed(1)}\u00a0m away` : '';
    element('toggle').hidden = !(nearby && (nearby.settable || []).includes('state'));
    turnArrow();
}

// Frames, 30 in half a second while the device moves, and the places in the state.
function showPlace(place) {
    if (place.position) { position = place.position; }
    if (Number.isFinite(place.angle)) { heading = place.angle; }
    if (position && Number.isFinite(position.x) && Number.isFinite(position.y)) {
        element('position').textContent = `x\u00a0${position.x.toFixed(2)}\u00a0m, y\u00a0${position.y.toFixed(2)}\u00a0m`;
    }
    if (heading !== null) { element('angle').textContent = `${Math.round(heading) % 360}°`; }
    turnArrow();
}

// Where the nearby thing is, as the device sees it.
function turnArrow() {
    const isKnown = nearby !== null && Number.isFinite(nearby.bearing_deg);
    element('arrow').toggleAttribute('hidden', !isKnown);
    if (isKnown) { element('arrow').style.transform = `rotate(${nearby.bearing_deg - (heading || 0)}deg)`; }
}

// A gap in the numbers, or a new epoch, means that something was missed: ask for the whole state.
function showEvent(tail, event) {
    const isNext = lastEvent === null || (event.epoch === lastEvent.epoch && event.seq === lastEvent.seq + 1);
    if (!isNext) { connection.publish(`${root}/request/snapshot`, '{}'); }
    lastEvent = event;
    if (tail === 'event/display' && event.event_type === 'banner') { queueBanner(event); }
    if (tail !== 'event/nearby' || event.event_type !== 'near') { return; }
    const box = element('nearby');
    box.classList.remove('arrived');
    // Reading a size starts the animation anew.
    void box.offsetWidth;
    box.classList.add('arrived');
}

// Banners of rules, one after the other.
const banners = [];

function queueBanner(banner) {
    if (![display, 'all'].includes(banner.display) || banners.length > 20) { return; }
    banners.push(banner);
    if (banners.length === 1) { showBanner(); }
}

function showBanner() {
    const banner = banners[0];
    element('banner').textContent = banner ? [banner.title, banner.text].filter(Boolean).join(': ') : '';
    if (!banner) { return; }
    setTimeout(() => {
        banners.shift();
        showBanner();
    }, (Number(banner.seconds) || 10) * 1000);
}

function showAnswer(answer) {
    if (answer.tx !== `${display}-${commands}`) { return; }
    const isRefused = answer.status !== 'ok';
    element('problem').textContent = isRefused && answer.error ? `Refused: ${answer.error.message}` : '';
}

element('toggle').onclick = () => {
    if (!nearby) { return; }
    commands += 1;
    // With if_id nothing happens when another thing is nearby by now.
    const order = { state: 'TOGGLE', if_id: nearby.id, tx: `${display}-${commands}` };
    connection.publish(`${root}/nearby/set`, JSON.stringify(order));
};

element('sign-in').onsubmit = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    try {
        sessionStorage.setItem('trilateral-user', form.get('user'));
        sessionStorage.setItem('trilateral-password', form.get('password'));
    } catch { /* It is asked for again next time. */ }
    open();
};

document.addEventListener('visibilitychange', sendPresence);
addEventListener('pagehide', () => {
    if (!connection || !connection.isConnected) { return; }
    connection.publish(presence, 'gone', true);
    connection.disconnect();
});
addEventListener('pageshow', (event) => { if (event.persisted) { open(); } });
open();
