public import Observation
import Synchronization

/// Values that the instructions, profiles and tools of a session share, by key.
public final class SessionPropertyValues: Sendable, Observable {
  private struct State {
    var values: [ObjectIdentifier: any Sendable] = [:]
    weak var session: LanguageModelSession?
  }

  /// The values of the session that instructions are read, a tool runs or a hook is called in.
  @TaskLocal static var current: SessionPropertyValues?
  /// Whether that is the reading of instructions or a tool, which leave the history as it is.
  @TaskLocal static var isHistoryReadOnly = false

  private let state = Mutex(State())
  private let registrar = ObservationRegistrar()
  /// Stands for all values in observation, which knows properties only.
  private var all: Int { 0 }

  init() {}

  func attach(_ session: LanguageModelSession) { state.withLock { $0.session = session } }

  /// The value of a key; its default where none was set.
  public subscript<Key: SessionPropertyKey>(key: Key.Type) -> Key.Value {
    get {
      registrar.access(self, keyPath: \.all)
      return state.withLock { $0.values[ObjectIdentifier(key)] as? Key.Value } ?? Key.defaultValue
    }
    set {
      registrar.withMutation(of: self, keyPath: \.all) {
        state.withLock { $0.values[ObjectIdentifier(key)] = newValue }
      }
    }
  }

  /// What was said in the session; editing it changes the session's transcript for good.
  ///
  /// Read-only while instructions are read and tools run: what is assigned there is dropped.
  public var history: Transcript.HistoryView {
    get { state.withLock { $0.session }?.transcript.history ?? [] }
    set {
      guard !Self.isHistoryReadOnly else { return }
      state.withLock { $0.session }?.transcript.history = newValue
    }
  }
}

/// Reads and writes a value of the session that instructions are read, a tool runs or a hook is called in.
@propertyWrapper
public struct SessionProperty<Value: Sendable>: Sendable {
  private let keyPath: any ReferenceWritableKeyPath<SessionPropertyValues, Value> & Sendable

  /// The value that a path of ``SessionPropertyValues`` leads to.
  public init(_ keyPath: any ReferenceWritableKeyPath<SessionPropertyValues, Value> & Sendable) {
    self.keyPath = keyPath
  }

  /// The value; outside of a session the default.
  public var wrappedValue: Value {
    get { (SessionPropertyValues.current ?? SessionPropertyValues())[keyPath: keyPath] }
    nonmutating set { SessionPropertyValues.current?[keyPath: keyPath] = newValue }
  }
}

extension Tool {
  /// Reads and writes a value of the session that the tool runs in.
  public typealias SessionProperty = FoundationModels.SessionProperty
}

/// Makes a variable of ``SessionPropertyValues`` a value of the session, with a default.
@attached(accessor)
@attached(peer, names: prefixed(__Key_))
public macro SessionPropertyEntry() =
  #externalMacro(module: "FoundationModelsMacros", type: "SessionPropertyEntryMacro")
