/// A publication, incoming or outgoing.
package struct MQTTMessage: Sendable, Hashable {
    package var topic: String
    package var payload: [UInt8]
    package var qos: MQTTQoS
    /// Outgoing: the broker should retain it; incoming: it was retained before we subscribed.
    package var isRetained: Bool
    package var properties: MQTTProperties
    /// The size of an incoming payload that exceeded the limit; `payload` is empty then.
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

/// The delivery guarantee; the raw value is the protocol's.
///
/// QoS 2 is not used: the library keeps what a broker sends with it until the broker releases it, without limit.
package enum MQTTQoS: UInt8, Sendable, Hashable, Comparable, CaseIterable {
    case atMostOnce = 0
    case atLeastOnce = 1

    package static func < (a: MQTTQoS, b: MQTTQoS) -> Bool { a.rawValue < b.rawValue }
}

/// MQTT 5 properties of a message; not sent, and never received, on a 3.1.1 link.
@dynamicMemberLookup
package struct MQTTProperties: Sendable, Hashable {
    /// Stored indirectly: most messages have none, and thousands of messages are copied and kept.
    private var box: Box?

    package struct Values: Sendable, Hashable {
        package var responseTopic: String?
        package var correlationData: [UInt8]?
        package var messageExpirySeconds: UInt32?
        package var contentType: String?
        /// In order; a name may occur more than once.
        package var userProperties: [MQTTUserProperty] = []
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

    package subscript<Value>(dynamicMember member: WritableKeyPath<Values, Value>) -> Value {
        get { values[keyPath: member] }
        set { values[keyPath: member] = newValue }
    }

    package var isEmpty: Bool { box == nil }
}

/// A user property of MQTT 5: a pair of texts.
package struct MQTTUserProperty: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension MQTTMessage {
    /// Bytes of topic, payload and properties: nearly all that a broker's limit counts, and that it takes here.
    var size: Int { topic.utf8.count + payload.count + properties.size }
}

extension MQTTProperties {
    /// Bytes of their texts and data.
    fileprivate var size: Int {
        if isEmpty { return 0 }
        let texts = [values.responseTopic, values.contentType].compactMap { $0?.utf8.count }
        let pairs = values.userProperties.map { $0.name.utf8.count + $0.value.utf8.count }
        return (texts + pairs).reduce(values.correlationData?.count ?? 0, +)
    }
}
