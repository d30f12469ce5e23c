import CMosquitto
import Glibc

/// A property list of the library, created for one call and freed after it.
struct PropertyList: ~Copyable {
    private(set) var list: OpaquePointer?

    init() {}

    init(_ properties: MQTTProperties) {
        if let value = properties.messageExpirySeconds {
            mosquitto_property_add_int32(&list, number(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL), value)
        }
        if let value = properties.contentType {
            mosquitto_property_add_string(&list, number(MQTT_PROP_CONTENT_TYPE), value)
        }
        if let value = properties.responseTopic {
            mosquitto_property_add_string(&list, number(MQTT_PROP_RESPONSE_TOPIC), value)
        }
        if let value = properties.correlationData, let count = UInt16(exactly: value.count) {
            mosquitto_property_add_binary(&list, number(MQTT_PROP_CORRELATION_DATA), value, count)
        }
        for pair in properties.userProperties {
            mosquitto_property_add_string_pair(&list, number(MQTT_PROP_USER_PROPERTY), pair.name, pair.value)
        }
    }

    init(subscription identifier: UInt32) {
        mosquitto_property_add_varint(&list, number(MQTT_PROP_SUBSCRIPTION_IDENTIFIER), identifier)
    }

    /// For CONNECT: the largest accepted packet, bytes.
    ///
    /// And that no explanations are wanted but those of CONNACK and DISCONNECT, the only ones that are read: the library
    /// leaks the properties of each PUBACK that it reads itself, as it does over TLS.
    init(maximumPacketSize: UInt32) {
        mosquitto_property_add_int32(&list, number(MQTT_PROP_MAXIMUM_PACKET_SIZE), maximumPacketSize)
        mosquitto_property_add_byte(&list, number(MQTT_PROP_REQUEST_PROBLEM_INFORMATION), 0)
    }

    deinit {
        var list = list
        mosquitto_property_free_all(&list)
    }

    /// Passes ownership to the library, which frees the list.
    consuming func release() -> OpaquePointer? {
        defer { list = nil }
        return list
    }
}

/// The properties of a received packet.
struct ReceivedProperties {
    var properties = MQTTProperties()
    var subscriptions: [UInt32] = []
    /// CONNACK: limitations that the broker announced.
    var maximumQoS = MQTTQoS.atLeastOnce
    var hasRetained = true
    var hasWildcards = true
    var hasSubscriptionIdentifiers = true
    var receiveMaximum: Int?
    var maximumPacketSize: Int?
    /// The keep-alive that the broker requires instead of ours.
    var keepAliveSeconds: Int?
    var reason: String?

    init(_ list: OpaquePointer?) {
        var next = list
        while let property = next {
            read(property)
            next = mosquitto_property_next(property)
        }
    }

    private mutating func read(_ property: OpaquePointer) {
        let identifier = mosquitto_property_identifier(property)
        switch identifier {
        case number(MQTT_PROP_RESPONSE_TOPIC): properties.responseTopic = string(property, identifier)
        case number(MQTT_PROP_CONTENT_TYPE): properties.contentType = string(property, identifier)
        case number(MQTT_PROP_REASON_STRING): reason = string(property, identifier)
        case number(MQTT_PROP_CORRELATION_DATA):
            var value: UnsafeMutableRawPointer?
            var count: UInt16 = 0
            guard mosquitto_property_read_binary(property, identifier, &value, &count, false) != nil else {
                return
            }
            properties.correlationData = Array(
                UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : Int(count))
            )
            free(value)
        case number(MQTT_PROP_USER_PROPERTY):
            var name: UnsafeMutablePointer<CChar>?
            var value: UnsafeMutablePointer<CChar>?
            guard mosquitto_property_read_string_pair(property, identifier, &name, &value, false) != nil
            else { return }
            properties.userProperties.append(
                MQTTUserProperty(name: copyAndFree(name) ?? "", value: copyAndFree(value) ?? "")
            )
        case number(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL):
            properties.messageExpirySeconds = int32(property, identifier)
        case number(MQTT_PROP_SUBSCRIPTION_IDENTIFIER):
            var value: UInt32 = 0
            guard mosquitto_property_read_varint(property, identifier, &value, false) != nil else { return }
            subscriptions.append(value)
        case number(MQTT_PROP_MAXIMUM_QOS):
            maximumQoS = byte(property, identifier).flatMap(MQTTQoS.init) ?? .atLeastOnce
        case number(MQTT_PROP_RETAIN_AVAILABLE): hasRetained = byte(property, identifier) != 0
        case number(MQTT_PROP_WILDCARD_SUB_AVAILABLE): hasWildcards = byte(property, identifier) != 0
        case number(MQTT_PROP_SUBSCRIPTION_ID_AVAILABLE):
            hasSubscriptionIdentifiers = byte(property, identifier) != 0
        case number(MQTT_PROP_RECEIVE_MAXIMUM): receiveMaximum = int16(property, identifier)
        case number(MQTT_PROP_SERVER_KEEP_ALIVE): keepAliveSeconds = int16(property, identifier)
        case number(MQTT_PROP_MAXIMUM_PACKET_SIZE):
            maximumPacketSize = int32(property, identifier).map { Int($0) }
        default: break
        }
    }

    private func string(_ property: OpaquePointer, _ identifier: Int32) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard mosquitto_property_read_string(property, identifier, &value, false) != nil else { return nil }
        return copyAndFree(value)
    }

    private func byte(_ property: OpaquePointer, _ identifier: Int32) -> UInt8? {
        var value: UInt8 = 0
        return mosquitto_property_read_byte(property, identifier, &value, false) == nil ? nil : value
    }

    private func int16(_ property: OpaquePointer, _ identifier: Int32) -> Int? {
        var value: UInt16 = 0
        let isThere = mosquitto_property_read_int16(property, identifier, &value, false) != nil
        return isThere ? Int(value) : nil
    }

    private func int32(_ property: OpaquePointer, _ identifier: Int32) -> UInt32? {
        var value: UInt32 = 0
        return mosquitto_property_read_int32(property, identifier, &value, false) == nil ? nil : value
    }

    /// The library allocates the returned values.
    private func copyAndFree(_ text: UnsafeMutablePointer<CChar>?) -> String? {
        defer { free(text) }
        return text.map { String(cString: $0) }
    }
}

private func number(_ property: mqtt5_property) -> Int32 { Int32(property.rawValue) }
