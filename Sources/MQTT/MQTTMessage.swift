/// One publication, on its way in or out.
package struct MQTTMessage: Sendable, Hashable {
    package var topic: String
    package var payload: [UInt8]
    package var qos: MQTTQoS
    /// Outgoing: the broker is to keep it; incoming: it was kept before we subscribed.
    package var isRetained: Bool
    package var properties: MQTTProperties
    /// How large an incoming payload was that exceeded the limit; `payload` is empty then.
    package var oversizeBytes: Int?

    package init(
        topic: String,
        payload: [UInt8] = [],
        qos: MQTTQoS = .atMostOnce,
        isRetained: Bool = false,
        properties: MQTTProperties = MQTTProperties()
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.isRetained = isRetained
        self.properties = properties
    }

    package var isOversize: Bool { oversizeBytes != nil }
}

/// How surely a message arrives; the raw value is the protocol's.
package enum MQTTQoS: UInt8, Sendable, Hashable, Comparable, CaseIterable {
    case atMostOnce = 0
    case atLeastOnce = 1
    case exactlyOnce = 2

    package static func < (a: MQTTQoS, b: MQTTQoS) -> Bool { a.rawValue < b.rawValue }
}

/// What MQTT 5 says beside the payload; not sent and never seen on a 3.1.1 link.
package struct MQTTProperties: Sendable, Hashable {
    package var responseTopic: String?
    package var correlationData: [UInt8]?
    package var messageExpirySeconds: UInt32?
    package var contentType: String?
    /// In order; a name may occur more than once.
    package var userProperties: [MQTTUserProperty] = []

    package init() {}

    package var isEmpty: Bool { self == MQTTProperties() }
}

/// A pair of texts that MQTT 5 carries beside the payload.
package struct MQTTUserProperty: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
