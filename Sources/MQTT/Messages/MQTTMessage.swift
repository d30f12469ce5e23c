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
    /// Most messages have none, and are copied and kept by the thousand: what there is lies elsewhere.
    private var box: Box?

    private struct Values: Sendable, Hashable {
        var responseTopic: String?
        var correlationData: [UInt8]?
        var messageExpirySeconds: UInt32?
        var contentType: String?
        var userProperties: [MQTTUserProperty] = []
    }

    private final class Box: Sendable, Hashable {
        let values: Values

        init(_ values: Values) { self.values = values }

        static func == (left: Box, right: Box) -> Bool { left.values == right.values }

        func hash(into hasher: inout Hasher) { values.hash(into: &hasher) }
    }

    private var values: Values {
        get { box?.values ?? Values() }
        set { box = newValue == Values() ? nil : Box(newValue) }
    }

    package init() {}

    package var responseTopic: String? {
        get { values.responseTopic }
        set { values.responseTopic = newValue }
    }
    package var correlationData: [UInt8]? {
        get { values.correlationData }
        set { values.correlationData = newValue }
    }
    package var messageExpirySeconds: UInt32? {
        get { values.messageExpirySeconds }
        set { values.messageExpirySeconds = newValue }
    }
    package var contentType: String? {
        get { values.contentType }
        set { values.contentType = newValue }
    }
    /// In order; a name may occur more than once.
    package var userProperties: [MQTTUserProperty] {
        get { values.userProperties }
        set { values.userProperties = newValue }
    }

    package var isEmpty: Bool { box == nil }
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
