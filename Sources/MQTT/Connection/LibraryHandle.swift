import CMosquitto
import Glibc
import SystemPackage
import Text

/// The library that speaks MQTT.
package enum MQTTLibrary {
    /// The version of the libmosquitto that is in use.
    package static var version: String {
        var (major, minor, revision) = (Int32(0), Int32(0), Int32(0))
        mosquitto_lib_version(&major, &minor, &revision)
        return "\(major).\(minor).\(revision)"
    }
}

/// Creates a libmosquitto handle from a configuration.
enum LibraryHandle {
    /// Called once per process, as the library requires; ignores SIGPIPE for sockets whose peer is gone.
    private static let library = {
        signal(SIGPIPE, SIG_IGN)
        return mosquitto_lib_init()
    }()

    static func make(_ configuration: MQTTConfiguration, version: MQTTProtocolChoice) throws(MQTTError)
        -> OpaquePointer
    {
        _ = library
        let id = configuration.clientID
        if let id, !TopicRules.isText(id) { throw .configuration("\"\(id)\" cannot be a client id") }
        guard let handle = mosquitto_new(id, true, nil) else {
            throw .configuration("libmosquitto cannot create a client: \(Errno(rawValue: errno))")
        }
        do throws(MQTTError) {
            try setOptions(handle, version)
            try setUser(handle, configuration)
            if let will = configuration.will { try setWill(handle, will, version) }
            if configuration.tls.isEnabled { try setTLS(handle, configuration.tls) }
            if version == .v5 { limitPackets(handle) }
        } catch {
            mosquitto_destroy(handle)
            throw error
        }
        return handle
    }

    private static func setOptions(
        _ handle: OpaquePointer,
        _ version: MQTTProtocolChoice
    ) throws(MQTTError) {
        let options: [(mosq_opt_t, Int32)] = [
            (MOSQ_OPT_PROTOCOL_VERSION, version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311),
            (MOSQ_OPT_TCP_NODELAY, 1),
            // As many as there are ids: they are acknowledged at once.
            (MOSQ_OPT_RECEIVE_MAXIMUM, 65_535),
        ]
        for (option, value) in options {
            try check(mosquitto_int_option(handle, option, value), "option \(option.rawValue)")
        }
        // Otherwise every publication would be written at once, even while another thread writes.
        try check(mosquitto_threaded_set(handle, true), "threads")
    }

    /// Announces the largest accepted packet in CONNECT, and which explanations are not wanted.
    ///
    /// The only call with CONNECT properties also connects and blocks. Without a host it does not connect,
    /// but the library keeps the properties for all later attempts.
    private static func limitPackets(_ handle: OpaquePointer) {
        let properties = PropertyList(maximumPacketSize: UInt32(PacketValidator.maximumPublishBytes))
        mosquitto_connect_bind_v5(handle, nil, 1883, 60, nil, properties.list)
    }

    private static func setUser(_ handle: OpaquePointer, _ configuration: MQTTConfiguration) throws(MQTTError)
    {
        guard let user = configuration.username else {
            if configuration.password == nil { return }
            throw .configuration("an MQTT password needs a user name")
        }
        guard TopicRules.isText(user) else { throw .configuration("the MQTT user name cannot be sent") }
        try check(
            mosquitto_username_pw_set(handle, user, configuration.password?.reveal()),
            "user name and password"
        )
    }

    private static func setWill(
        _ handle: OpaquePointer,
        _ will: MQTTMessage,
        _ version: MQTTProtocolChoice
    ) throws(MQTTError) {
        if let problem = TopicRules.validationError(will) { throw .configuration("the will: \(problem)") }
        let count = Int32(clamping: will.payload.count)
        let qos = Int32(will.qos.rawValue)
        guard version == .v5 else {
            return try check(
                mosquitto_will_set(handle, will.topic, count, will.payload, qos, will.isRetained),
                "the will"
            )
        }
        let properties = PropertyList(will.properties).release()
        let result = mosquitto_will_set_v5(
            handle,
            will.topic,
            count,
            will.payload,
            qos,
            will.isRetained,
            properties
        )
        if result != MOSQ_ERR_SUCCESS.rawValue {
            var unused = properties
            mosquitto_property_free_all(&unused)
        }
        try check(result, "the will")
    }

    private static func setTLS(_ handle: OpaquePointer, _ tls: MQTTTLS) throws(MQTTError) {
        guard (tls.certificateFile == nil) == (tls.keyFile == nil) else {
            throw .configuration("a TLS client certificate and its key go together: set both or none")
        }
        for path in [tls.caFile, tls.certificateFile, tls.keyFile] {
            guard let path, access(path, R_OK) != 0 else { continue }
            throw .configuration("cannot read \(path): \(Errno(rawValue: errno))")
        }
        var caDirectory: String?
        if tls.caFile == nil {
            try check(
                mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1),
                "the system's TLS authorities"
            )
            // With a client certificate the library requires a directory; this is the system's.
            if tls.certificateFile != nil { caDirectory = "/etc/ssl/certs" }
        }
        if tls.caFile != nil || caDirectory != nil {
            let result = mosquitto_tls_set(
                handle,
                tls.caFile,
                caDirectory,
                tls.certificateFile,
                tls.keyFile,
                keyPassword
            )
            try check(result, "the TLS files")
        }
        // The certificate is verified here before anything is written: see ValidatedInput.continueHandshake().
        try check(mosquitto_tls_opts_set(handle, 0, tls.version?.rawValue, nil), "the TLS version")
        if let alpn = tls.alpn {
            try check(mosquitto_string_option(handle, MOSQ_OPT_TLS_ALPN, alpn), "ALPN \"\(alpn)\"")
        }
    }

    /// An empty password for an encrypted key, because OpenSSL would otherwise prompt on the terminal.
    private static let keyPassword:
        @convention(c) (
            UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?
        ) -> Int32 = { _, _, _, _ in 0 }

    private static func check(_ result: Int32, _ what: String) throws(MQTTError) {
        guard result != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw .configuration(
            "libmosquitto rejects \(what): \(String(cString: mosquitto_strerror(result)))"
        )
    }
}
